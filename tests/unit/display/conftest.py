import sys
from pathlib import Path

# stories.py lies beside the tests that tell them
sys.path.insert(0, str(Path(__file__).parent))
