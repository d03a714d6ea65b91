"""Secrets never reach a file; settings whose names look like secrets do."""

from __future__ import annotations

from importlib.metadata import version

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolect.generators.installed import installed
from sociolect.generators.redaction import (
    HIDDEN,
    has_secrets,
    is_secret,
    secret_values,
    without_secrets,
    without_values,
)


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


ADDRESS = "https://me:p%40ss+wd@h/v1?api_key=k/1%2B2&v=2024-06-01&n=9&key=ab&flag#f=x"


def test_what_came_with_a_request_is_secret() -> None:
    assert secret_values(ADDRESS, {}) == {
        *("me:p%40ss+wd", "p%40ss+wd", "k/1%2B2", "2024-06-01", "ab", "flag"),
    }
    assert secret_values("http://tok3n@h/v1", {"Authorization": "Bearer sk-abc"}) == {
        *("tok3n", "sk-abc"),
    }
    basic = {"Authorization": "Basic bWU6b3Blbg==", "Cookie": "a=1; sid=abcdef"}  # me:open
    assert secret_values("http://h/v1", basic) == {
        *("bWU6b3Blbg==", "me:open", "open", "a=1; sid=abcdef", "sid=abcdef", "abcdef"),
    }
    assert secret_values("http://h/v1", {"Authorization": "Bearer "}) == set()


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("Cannot POST /v1?api_key=k/1%2B2&n=9", "Cannot POST /v1?api_key=***&n=9"),
        ("key k/1+2, k%2f1%2b2, K/1+2 or k\\/1+2", "key ***, ***, *** or k\\/1+2"),
        ("Basic bWU6cEBzcyt3ZA==", "Basic ***"),  # me:p@ss+wd
        ("bWU6cEBzcyt3ZA and bWU6cEBzcyt3ZA%3D%3D", "*** and ***"),
        ("user me:p@ss+wd", "user ***"),
        ("p@ss wd, p%40ss%2Bwd", "***, ***"),
        ("about ab, cab", "about ***, cab"),
        ("9 of 2024-06-01", "9 of ***"),
    ],
)
def test_values_are_hidden_in_every_form(told: str, shown: str) -> None:
    assert without_values(told, secret_values(ADDRESS, {})) == shown


def test_escaped_values_are_hidden() -> None:
    values = frozenset(['a"b&cé'])
    for form in ('a"b&cé', 'a\\"b&cé', 'a\\"b&c\\u00e9', "a&quot;b&amp;cé", "a%22b%26c%C3%A9"):
        assert without_values(f"<{form}>", values) == "<***>"
    assert without_values("as it is", frozenset()) == "as it is"


@given(st.text(alphabet=st.characters(codec="utf-8"), min_size=4), st.text())
def test_a_value_is_never_left(value: str, around: str) -> None:
    shown = without_values(f"{around}{value}{around}", frozenset([value]))
    assert all(value not in part for part in shown.split(HIDDEN))


def test_versions_of_what_is_installed() -> None:
    assert installed(["pytest", "no-package-has-this-name"]) == {"pytest": version("pytest")}
