"""The matched stack: facts + wishes + catalogue -> driver, CUDA, PyTorch and NCCL that fit each other, or what stands in the way. Pure.

values.py      what goes in and comes out           catalogue.py   the rows of catalogue/*.yaml, each with its source
wishes.py      inventory variables -> Wishes        devices.py     PCI ids -> GPUs of the catalogue
driver.py      branch, flavour, packages            wheel.py       torch release and variant
resolve.py     the whole, with a reason for each choice
"""
