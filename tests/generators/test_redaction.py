"""Secrets never reach a file; settings whose names look like secrets do."""

from __future__ import annotations

from importlib.metadata import version

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.installed import installed
from sociolect.generators.redaction import has_secrets, is_secret, without_secrets


@pytest.mark.parametrize(
    "name",
    [
        *("token", "hf_token", "access_token", "API_KEY", "aws_secret_access_key", "password"),
        *("secret", "api-key", "x-api-key", "Authorization"),
    ],
)
def test_secret_names(name: str) -> None:
    assert is_secret(name)


@pytest.mark.parametrize(
    "name",
    ["add_bos_token", "prefix_token_id", "think_end_token", "tokenizer", "max_gen_toks", "keys"],
)
def test_names_of_settings(name: str) -> None:
    assert not is_secret(name)


@given(st.from_regex(r"(hf_|sk-|ghp_)[A-Za-z0-9_-]{8,40}", fullmatch=True))
def test_access_tokens_are_hidden_wherever_they_stand(token: str) -> None:
    assert without_secrets(f"revision {token}, then") == "revision ***, then"


def test_names_and_passwords_in_urls_are_hidden() -> None:
    assert without_secrets("https://user:pass@host/v1") == "https://***@host/v1"
    assert without_secrets("https://host/v1?a=b@c") == "https://host/v1?a=b@c"
    assert without_secrets("https://user:p@ss@host/v1") == "https://***@host/v1"


@pytest.mark.parametrize(
    "name",
    ["api_key", "key", "api-key", "subscription-key", "access_token", "sig", "code", "api%5Fkey"],
)
def test_secrets_in_the_query_of_a_url_are_hidden(name: str) -> None:
    told = f"base_url=https://h:80/v1?api-version=2&{name}=abc123&x=1, then"
    assert without_secrets(told) == told.replace("abc123", "***")
    assert has_secrets(told)


def test_the_rest_of_a_url_stays() -> None:
    for told in ("http://127.0.0.1:8000/v1/completions?version=2#top", "a?key=of no URL"):
        assert without_secrets(told) == told
        assert not has_secrets(told)


def test_versions_of_what_is_installed() -> None:
    assert installed(["pytest", "no-package-has-this-name"]) == {"pytest": version("pytest")}
