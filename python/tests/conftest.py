import random

import pytest


@pytest.fixture
def rng(request):
    """Random numbers that depend only on the test's name."""
    return random.Random(request.node.name)


def needs(name):
    """The module, or a skip that says why."""
    return pytest.importorskip(name, reason=name + " is not installed")
