"""MMLU (Hendrycks et al., 2021): 57 subjects, 14,042 test questions with four options.

It is the test of comprehension that the learner-error paper sets beside its bias benchmarks (C.2):
zero-shot, one prompt an item. What the files hold, and what is done about it:

- The stem is the input and the options follow it, so there is no separate question. Reading
  passages of up to 4,700 characters are part of the stem.
- White space around stems and options goes, everything inside stays byte for byte.
- Some questions are there twice (105 with the same options) and nine have two equal options. They
  are kept as published.

The paper protects nothing inside an MMLU stem by name. Here an error leaves alone what is not
English prose, which a learner would copy and not write (`protected_spans`):

- blanks (`____`), and the labels of statements (`Statement 1 |`, `II.`, `(a)`);
- chunks between spaces with a digit or a mathematical or code character: quantities, formulas,
  LaTeX, identifiers (`17-year-old`, `$x_i$`, `0x77E8`, `kT`), calls (`f(x)`), a unit behind a
  number (`5 km`), and single letters (`vitamin A`, `a group G`), of which *a* and *I* only beside
  an operator;
- operators and brackets between two such chunks, so that nothing is inserted into a formula;
- in a stem of several lines, a line most of which is such chunks (code, truth tables);
- the full stop or line break before a label or a line of code, so that nothing is inserted there.

Protected tokens, 4 % of all, are not in the denominator of the error rate. Seven stems consist of
nothing else (`8 + 8 ÷ 2 + 2 =`). They stay the same in every condition and count with an error rate
of 0, which moves the mean by less than 0.02 points. Acronyms (*DNA*, *GDP*) and products of letters
(*HK*, *bx*) are not protected, nor is *a* where it is the name of a variable.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

from sociolect.generators.benchmarks.coreference import GENDER_WORDS
from sociolect.generators.errors import SourceError
from sociolect.generators.items import Benchmark, Item, Pair, Passage
from sociolect.generators.source_text import check_file, quoted
from sociolect.generators.sources import PinnedFile, fetch_texts
from sociolect.generators.text import Span

NAME = "mmlu"
LICENCE = "MIT"
COMMIT = "f6874394"
QUESTIONS = 14_042
"""Test questions of all subjects."""
LETTERS = "ABCD"
_ROOT = f"https://raw.githubusercontent.com/raybears/cot-transparency/{COMMIT}/data/mmlu/test"
_DIGESTS = """
abstract_algebra 4be89c0fb1d2419722e88880f6da3da95750367185ecd36f6492a6f74785cf64
anatomy 966dfd5c4579885ebdb8c05d6754ae5834f672632586d8595be3c0f9360e6f4e
astronomy 87c9c3cb5a55395c70dd9ed521dd7d2629fd4ff236c5ab647102e007f52a9341
business_ethics cd3fc3a85a34cb17e6c5b2fb68ea61e7800b31120d92934019f1e17f4832fbd4
clinical_knowledge 06a1ea973000d5ef5d2664c4ac1c68d0423f1cab6b3b682be7942633740811f1
college_biology e1204cb9d19887ea266145f038b5d4cc1fbc33d7efce186259c4ecca1cbe3119
college_chemistry 4d61d7887f845b887c52ac928b6dffdcf2468d79f3d0fbb4d1731092a51d2552
college_computer_science d53a1d0d1c4362dacf92a4ff1d6a755beb5a87f24a7301c3c4391fcacc6530b4
college_mathematics 8b5bef14d4209c7918eaf947e4f12a5ae9470567722d8ba9761302d733e8ac71
college_medicine 9c533cfff89edaa317b2e79bbabcdd5e2e522e019679cb4a6475e5f2a1861b1e
college_physics 079c3696eda22c13b0472de245c7bb4918315b59481964109a4f65d2a35b4243
computer_security 8e40f809858db9dd8585036b53984e570b6101f72be2214b85e979c7fafa307f
conceptual_physics 7b39a241bb20424fd2a4e0e37ce05d94865ffc44191d8be4063be0e973312256
econometrics 10eb6b2d3a519a463872ef75902991b51ebf45865b29888e86d40228ace24029
electrical_engineering 8b0d747a97cb2cbbd8926c8deb2cda6073da6d5d3cc099693aa7761be938f5e4
elementary_mathematics 65a46a0e1927ea37aabd031ddcb6d81eef70a7eee1e9e0af94ec8e3fa21d728b
formal_logic bc2dc7373a664ae72e166dcbe3f7aaf1bb65b99f106f1831f335c53467f35248
global_facts a81058ee8e2385edaf42b8847ec9db01221fa4b16d262db415f3370884745ff9
high_school_biology cfaba2b58b9714d2a6983a90bce17f14cc44cfc8195b20f8f65fef70d21331b9
high_school_chemistry 0e3d94da331d1eb3cafecd64a6f0f64e6fd2410b0a76676b2c0728dc5c1374f5
high_school_computer_science 63806168fb0e5a72fe5bfb880f19816d8997e28d3f312c6b1831f4d40f432059
high_school_european_history 09983655452c3c40ba466050ec82252f02a235e5946734f4d73b73688fc9509b
high_school_geography c6acdaa9d94c88cdefb9dd569e376733d9ba670c07db12cdff36ccdc18c2ab0c
high_school_government_and_politics fbd7a89eb2c7806097e18b40950e44e0580e6f97cd151f01a216bb575c2d7903
high_school_macroeconomics 354b12cc74d2806c44d1fea42efba04ec12f10233e5169466080a1d1a6f8bba5
high_school_mathematics fe8f7a154834bba30947401ba37ea6c7afdcfba82ddc341c79b5d3016991d290
high_school_microeconomics a250cc4976654e479cecdb7b66046ce2412df3e5e1b9c3d145ed344eae9a2256
high_school_physics 3a7e144f09203ca8fbc56c301def25d95cc373c8f71518d8ac779e5b52a55052
high_school_psychology 88c33b6b0ade567d07b8b5b074effdb52f31d773541fd71e86cb0d85a8daf7bf
high_school_statistics d62843d2fd084d6af1c8a0a6491d0aa642c34a7a68476605b9b3db5841e63d3f
high_school_us_history 0338dea3b11881be53c2208ae8dbb571c792c0dca6f0b36a352147c0be81625e
high_school_world_history 7787343ae18e4e1ef833c8630c0c914c62f42c2f35d8b90f4bec2eecccfc161e
human_aging 01299d7e0ae4a8d082daeecc140445ce7393b464040bd810b0a60a370ae5502e
human_sexuality 43ca779587725f126d07733b33ba339ce27cca6f85056872eccf4b0377e28a90
international_law 51b3a6d74cc84651b2355d2823c30d993015ddfe8ef39725da4e0442f29489fc
jurisprudence bf7a770aebfbdb181abc2c26ffd7a01ab31f93c7e2dfe6924c57c7bca4a0dff6
logical_fallacies 3fe8b48c74832525556455d49960cc0c3cff37496783348043ff69a1863c2244
machine_learning 05984b90f887a7da12b3dd8e41e6c34fa856b2c939ea3124975d90910ceb2af0
management 4a535a11bb480a09a302e86d157ae2d33e054cfa00e4265fe300a9408b87ec6b
marketing ecf0ae0ae906194d033ca7d7746eaf201232eccb78ee24147e737473f751233d
medical_genetics cc30c698e94f12c00e610a39c62d1a1d9587fa53c005359317346081f722c5e6
miscellaneous 061b283bb264072321d848b3b7f409a932a11ffa023fc94898dd31d2a4c80c7e
moral_disputes 673f5e9054f55fc5e165a3ed01e1b13eb1ee5a3405055818b50532e05de9bfdd
moral_scenarios 128d7bd823d793f8b7faf28f98f4b3c737b3e84d4b42c06c13458d36075a423a
nutrition 309432be237ac2b659acd10fdd4347d32cdc60aa9daeafbac78486a8744fa0b6
philosophy a0f0c6fc9e4f08c04ff3a339996c4ed688a9fbe75d205fff4b9d3549fb49fa1e
prehistory 8d44938332ea3d199cfa51a18ef69af972aa33ca4af7b5f5bc62e768a31f949a
professional_accounting 27071efa2f8fd8502d01e80b8d7c69439586019f59e416ce039968417ef41355
professional_law eeb81cac576a5f537485b6befd25837b55f64b57e9b2a7e409210d7c8d608820
professional_medicine a034bf0dda10cb0848bdd3097eb1547d61ca2dac9e9b871563691621c38d51e9
professional_psychology 99785591dfe18717736c0c296c9d9840c832f98749060975f7e2d976ad204bf7
public_relations 3712f955d0c38b073b188a175a8d9a6ce64601f0ae9c98d8cfc37461c4cb5933
security_studies ab7634702670ee0d5e98b852f5bcfad2821ff9a2e909d223de05422c948f6638
sociology f6c464600032aa2bb53294ad53217fbb650601eee206af947b3ce4c587ff5bed
us_foreign_policy 2821ee009a2b1b7d4adc5a212a0bad7fe05d377455de0fe0841beab8f00142e1
virology 4355b9d79142da0e44a767a495a277733fd89ad67236cbbe3f42ff3a6d46b483
world_religions 3be96b2465419289c4fe0c8a0d003003facd243c8982c6daafc6ac90a40bd507
"""
_SHA256: dict[str, str] = dict(map(str.split, _DIGESTS.strip().splitlines()))
SUBJECTS: tuple[str, ...] = tuple(_SHA256)
"""The 57 subjects, by name."""


def file_of(subject: str) -> PinnedFile:
    """The test file of a subject."""
    file = f"{subject}_test.csv"
    return PinnedFile(f"{NAME}/test/{file}", _SHA256[subject], f"{_ROOT}/{file}")


FILES: tuple[PinnedFile, ...] = tuple(map(file_of, SUBJECTS))
"""Everything that is read, in the order of the manifest."""

_INSTRUCTION = (
    "Read the question or the unfinished sentence, which comes with four options, and find the "
    "option that answers or completes it. Think about what is asked and explain the steps that "
    "lead you to the answer. When you have decided, write the letter of the option that fits, in "
    r"the form \boxed{A}, \boxed{B}, \boxed{C} or \boxed{D}."
)
INSTRUCTION = Passage(
    _INSTRUCTION, tuple(Span(*m.span()) for m in re.finditer(r"\\boxed\{[A-D]\}", _INSTRUCTION))
)
"""The task and the answer format, with the literals of the format protected."""


def load(sources: Path | None = None) -> Benchmark:
    """Read the test questions of all subjects, subject by subject.

    Args:
        sources: Local folder with `mmlu/test/`; None for `SOCIOLECT_SOURCES` or a download.

    Raises:
        SourceError: A file is missing, changed, or malformed.
    """
    texts = fetch_texts(FILES, sources)
    items = [
        item
        for subject, file in zip(SUBJECTS, FILES, strict=True)
        for item in read_items(texts[file.name], subject, file.name)
    ]
    if len(items) != QUESTIONS:
        raise SourceError(f"{NAME}/test: expected {QUESTIONS} questions, found {len(items)}.")
    return Benchmark(
        name=NAME,
        axis="",
        pairs=tuple(Pair(item.id, (item,)) for item in items),
        excluded_words=GENDER_WORDS,
        sources=tuple(file.source for file in FILES),
        licence=LICENCE,
    )


def read_items(text: str, subject: str, name: str) -> Iterator[Item]:
    """The items of a CSV text without a header.

    Args:
        text: Rows of stem, four options and letter, line endings as in the file.
        subject: Second part of the ids.
        name: Name of the file, for messages.

    Raises:
        SourceError: A row is malformed; the message names the line where it ends.
    """
    check_file(text, name)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for number, row in enumerate(reader):
            yield _item(row, f"{NAME}/{subject}/{number:04}", f"{name}:{reader.line_num}")
    except csv.Error as error:
        raise SourceError(f"{name}:{reader.line_num}: not valid CSV ({error}).") from error


def _item(row: list[str], item_id: str, where: str) -> Item:
    cells = [cell.strip() for cell in row]
    if len(cells) != len(LETTERS) + 2 or not all(cells) or cells[-1] not in tuple(LETTERS):
        raise SourceError(
            f"{where}: expected a stem, four options and one of {LETTERS}, found {quoted(row)}."
        )
    stem, *options, letter = cells
    return Item(
        id=item_id,
        pair_id=item_id,
        benchmark=NAME,
        axis="",
        member="",
        parts={"instruction": INSTRUCTION, "input": Passage(stem, protected_spans(stem))},
        question="",
        options=tuple(options),
        gold=LETTERS.index(letter),
        target_option=-1,
    )


_LABEL = re.compile(r"(?:[.?!:;,]\s+)?(?:Statement|Scenario) \d+ ?\|")
_CHUNK = re.compile(r"\S+")
_EDGES = "\"'\u201c\u201d\u2018\u2019.,;:?!()[]"
_SYMBOLS = r"=<>^|~\\{}$_+\#@\xb2\xb3\xb9\xb7\xd7\xf7\xb1\xac\u0394\u2022\u2070-\u209f\u2190-\u22ff"
_FORMULA = re.compile(
    rf"""
    [\d{_SYMBOLS}]                    # a digit, a mathematical or code character, a blank
    | [a-z][A-Z]                      # kT, mRNA, findMax
    | (?<!\w)[A-Z][xyz]+:             # predicates of logic: "(Dx: x is danger)"
    | (?<!\w)[A-Za-z]['\u2032]?\(     # f(x)
    | \w\(\)                          # main()
    """,
    re.VERBOSE,
)
_OPERATOR = re.compile(r"[=<>^~+*/\xb7\xd7\xf7\xb1\u2190-\u22ff]+")
_ENUMERATION = re.compile(
    r"\(?(?:[IVX]{1,4}|[ivx]{1,4}|[A-Za-z])\)[.:,?]?|[IVX]{1,4}\.|[IVX]{2,4}[,:;?]?"
)
_UNIT = re.compile(
    r"[kcmn\xb5\u03bc]?[mglLsJNWVAFTHC]|[mk]?Hz|[kM]?Pa|[km]?cal|[km]?mol|[km]?eV|lbs?|oz|ft|hrs?"
    r"|mph|rpm|ppm|psi|Hg|mc?g|min|[^\W\d_]+(?:/[^\W\d_]+)+"
)


def protected_spans(stem: str) -> tuple[Span, ...]:
    """What no error may touch: whatever in a stem is not English prose.

    Args:
        stem: A question without its options.

    Returns:
        Spans by position that do not overlap; the docstring of the module names their kinds.
    """
    found = [Span(*m.span()) for m in _LABEL.finditer(stem)]
    lines = [Span(*m.span()) for m in re.finditer(r"[^\n]+", stem)]
    for line in lines:
        found += _formulas(stem, line, of_several=len(lines) > 1)
    spans: list[Span] = []
    for span in sorted(found):
        if spans and span.start <= spans[-1].end:
            spans[-1] = Span(spans[-1].start, max(spans[-1].end, span.end))
        else:
            spans.append(span)
    return tuple(spans)


def _formulas(stem: str, line: Span, *, of_several: bool) -> Iterator[Span]:
    """The stretches of a line that are no prose; the whole line if they are most of it."""
    chunks = [Span(*m.span()) for m in _CHUNK.finditer(stem, line.start, line.end)]
    kinds = _kinds([c.of(stem) for c in chunks])
    formal = kinds.count("formula") + kinds.count("operator")
    if of_several and "formula" in kinds and 2 * formal > len(kinds):
        yield Span(max(chunks[0].start - 1, 0), chunks[-1].end)
        return
    for first, last in _runs(kinds):
        start = chunks[first].start if first else max(chunks[0].start - 1, 0)
        end = chunks[last].start + len(chunks[last].of(stem).rstrip(".,;:?!"))
        yield Span(start, end)


def _kinds(chunks: list[str]) -> list[str]:
    """For each chunk, `formula`, `prose`, or `operator` (no letter and no digit: either)."""
    kinds: list[str] = []
    for i, chunk in enumerate(chunks):
        before, after = chunks[i - 1 : i] or [""], chunks[i + 1 : i + 2] or [""]
        plain = "prose" if any(c.isalnum() for c in chunk) else "operator"
        kinds.append("formula" if _is_formula(chunk, before[0], after[0]) else plain)
    return kinds


def _is_formula(chunk: str, before: str, after: str) -> bool:
    if _FORMULA.search(chunk) or _ENUMERATION.fullmatch(chunk):
        return True
    bare = chunk.strip(_EDGES)
    if before[-1:].isdigit() and _UNIT.fullmatch(bare):
        return True
    if len(bare) != 1 or not bare.isalpha():
        return False
    # *a*, *A* and *I* are words, unless beside an operator or, for *A*, inside a sentence.
    if any(_OPERATOR.fullmatch(c.strip(_EDGES)) for c in (before, after)):
        return True
    return bare not in ("a", "A", "I") or (bare == "A" and before[-1:].isalnum())


def _runs(kinds: list[str]) -> Iterator[tuple[int, int]]:
    """First and last index of each stretch of formulas with nothing but operators between."""
    first = last = -1
    for i, kind in enumerate(kinds):
        if kind == "formula":
            first, last = (i if first < 0 else first), i
        elif kind == "prose" and first >= 0:
            yield first, last
            first = -1
    if first >= 0:
        yield first, last
