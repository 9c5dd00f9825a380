#include "port/python/parser.h"

#include <gtest/gtest.h>

#include <chrono>

namespace starbridge::port::python {
namespace {

bool accepts(const std::string& source) {
  Syntax syntax;
  return Parser(source, syntax).run();
}

// The tree as nested brackets, for the kinds a case is about.
std::string shape(const Syntax& syntax, NodeId id) {
  static const std::vector<std::pair<Kind, const char*>> names = {{Kind::kModule, "module"},
                                                                  {Kind::kCall, "call"},
                                                                  {Kind::kArgumentList, "args"},
                                                                  {Kind::kGenerator, "generator"},
                                                                  {Kind::kComprehension, "comp"},
                                                                  {Kind::kTuple, "tuple"},
                                                                  {Kind::kList, "list"},
                                                                  {Kind::kSet, "set"},
                                                                  {Kind::kDictionary, "dict"},
                                                                  {Kind::kPair, "pair"},
                                                                  {Kind::kBinary, "bin"},
                                                                  {Kind::kBoolean, "bool"},
                                                                  {Kind::kComparison, "cmp"},
                                                                  {Kind::kUnary, "un"},
                                                                  {Kind::kConditional, "cond"},
                                                                  {Kind::kLambda, "lambda"},
                                                                  {Kind::kAssignment, "="},
                                                                  {Kind::kAugmentedAssignment, "op="},
                                                                  {Kind::kNamedExpression, ":="},
                                                                  {Kind::kParenthesized, "paren"},
                                                                  {Kind::kSubscript, "sub"},
                                                                  {Kind::kSlice, "slice"},
                                                                  {Kind::kStar, "star"},
                                                                  {Kind::kFunction, "def"},
                                                                  {Kind::kClass, "class"},
                                                                  {Kind::kParameters, "params"},
                                                                  {Kind::kBlock, "block"},
                                                                  {Kind::kReturn, "return"},
                                                                  {Kind::kImport, "import"},
                                                                  {Kind::kImportFrom, "from"},
                                                                  {Kind::kAliasedImport, "as"},
                                                                  {Kind::kType, "type"},
                                                                  {Kind::kStatement, "stmt"},
                                                                  {Kind::kInterpolation, "field"},
                                                                  {Kind::kConcatenatedString, "joined"},
                                                                  {Kind::kAwait, "await"},
                                                                  {Kind::kYield, "yield"}};
  const Node& node = syntax.node(id);
  if (node.kind == Kind::kKeywordArgument) return std::string(syntax.name(id)) + "=" + shape(syntax, node.first_child);
  if (node.kind == Kind::kAttribute) return shape(syntax, node.first_child) + "." + std::string(syntax.name(id));
  if (node.first_child == kNoNode && node.kind != Kind::kArgumentList && node.kind != Kind::kTuple)
    return std::string(syntax.text(id));
  std::string out;
  for (const auto& [kind, name] : names) {
    if (kind == node.kind) out = name;
  }
  out += "(";
  for (NodeId child = node.first_child; child != kNoNode; child = syntax.node(child).next_sibling) {
    if (child != node.first_child) out += " ";
    out += shape(syntax, child);
  }
  return out + ")";
}

std::string shape(const std::string& source) {
  Syntax syntax;
  if (!Parser(source, syntax).run()) return "refused";
  std::string module = shape(syntax, 0);
  return module.substr(7, module.size() - 8);
}

TEST(Parser, PrecedenceAndStructure) {
  const std::pair<const char*, const char*> cases[] = {
      {"a + b * c\n", "bin(a bin(b c))"},
      {"a - b - c\n", "bin(bin(a b) c)"},
      {"-a ** -b\n", "un(bin(a un(b)))"},
      {"a ** b ** c\n", "bin(a bin(b c))"},
      {"not a in b and c\n", "bool(un(cmp(a b)) c)"},
      {"a or b and c or d\n", "bool(a bool(b c) d)"},
      {"a < b is not c not in d\n", "cmp(a b c d)"},
      {"a if b else c if d else e\n", "cond(a b cond(c d e))"},
      {"lambda x, *y, z=1, **k: x, 2\n", "tuple(lambda(params(x star(y) (z 1) star(k)) x) 2)"},
      {"f(a, *b, k=c, **d)\n", "call(f args(a star(b) k=c star(d)))"},
      {"f(x for x in y)\n", "call(f generator(x x y))"},
      {"a.b[c].d()\n", "call(sub(a.b c).d args())"},
      {"a[1:2, ::3, ...]\n", "sub(a slice(1 2) slice(3) ...)"},
      {"x = y = z\n", "=(x =(y z))"},
      {"x: int = 3\n", "=(x type(int) 3)"},
      {"x += 1,\n", "op=(x tuple(1))"},
      {"(a := b)\n", "paren(:=(a b))"},
      {"(a)\n", "paren(a)"},
      {"()\n", "tuple()"},
      {"a,\n", "tuple(a)"},
      {"[a for a in b if c if d for e in f]\n", "comp(a a b c d e f)"},
      {"{a: b, **c}\n", "dict(pair(a b) star(c))"},
      {"{a, *b}\n", "set(a star(b))"},
      {"{a: b for c in d}\n", "comp(pair(a b) c d)"},
      {"f'{a!r:{b}}' 'x'\n", "joined((field(a field(b))) 'x')"},
      {"import a.b as c, d\n", "import(as(a.b c) d)"},
      {"from . import (a as b, c,)\n", "from(. as(a b) c)"},
      {"@d\nasync def f(a, /, b: int, *, c=1) -> d: pass\n", "stmt(d def(f params(a / (b type(int)) * (c 1)) type(d) block()))"},
      {"if a: b\nelif c: d\nelse: e\n", "stmt(a block(b) c block(d) block(e))"},
      {"await a\n", "await(a)"},
  };
  for (const auto& [source, expected] : cases) {
    std::string made = shape(source);
    // A block without nodes is printed as its text.
    if (std::string(source).find("pass") != std::string::npos) made.replace(made.find("pass)"), 4, "block()");
    EXPECT_EQ(made, expected) << source;
  }
}

TEST(Parser, TakesAllOfPython) {
  const char* cases[] = {
      "",
      "# only a comment",
      "\n\n",
      "\xEF\xBB\xBFx = 1\n",
      "x = 1",
      "if x:\n    y\n",
      "if x:\n\ty\n\n  # odd comment\n\tz\n",
      "if x:\r\n    y\r\nelse:\r\n    z\r\n",
      "x = 1\ry = 2\r",
      "x = (1,\n  # inside\n  2)\n",
      "x = 1 + \\\n  2\n",
      "if a and \\\n   b:\n  c\n",
      "x = 0xFF + 0o17 + 0b11 + 1_000 + 1e5 + 1.5e-3j + .5 + 5. + 00\n",
      "x = 1if y else 2\n",
      "x = r'\\\\' 'a' rb'\\x' b'' u'' Rb'x' BR'x'\n",
      "'''a'b''c\\'''d'''\n",
      "\"\"\"\n\\\n\"\"\"\n",
      "'a\\\nb'\n",
      "print(*a, sep='')\nprint >>x, y\n",
      "x = yield\nx = yield from y\nx = await y\n",
      "def f(): return *a, b\n",
      "def f(*, a): pass\ndef g(a, /): pass\ndef h(a=1, /, b=2, *c, d, **e): pass\ndef i(*args: *Ts): pass\n",
      "class A: pass\nclass B(): pass\nclass C(A, metaclass=M, **k): x: int\n",
      "for x, *y in z: pass\nelse: pass\nfor x in *a, b: pass\nfor (x) in y: pass\nfor x.y in z: pass\nfor x[0] in z: pass\n",
      "while (x := f()): break\nelse: continue\n",
      "try: pass\nexcept: pass\n",
      "try:\n  pass\nexcept (A, B) as e:\n  pass\nelse:\n  pass\nfinally:\n  pass\n",
      "try: pass\nexcept* A: pass\n",
      "with a as b, c as (d, e): pass\nwith (a as b, c,): pass\nwith (a, b) as c: pass\nwith (a), b: pass\nwith (yield x): "
      "pass\nwith (a).b as c: pass\n",
      "async def f():\n  async with a as b: pass\n  async for x in y: pass\n  return [x async for x in y]\n",
      "match x:\n  case 1 | -2.5 | 3+4j | 'a' 'b' | None: pass\n  case [a, *_] if a > 1: pass\n  case (a, b) | [c]: pass\n"
      "  case {'k': v, A.B: c, **rest}: pass\n  case P(1, x=2, y=Q()) as z: pass\n  case a.b.c: pass\n  case _: pass\n"
      "  case a, *b: pass\n  case (a): pass\n  case (): pass\n  case {}: pass\n  case []: pass\n",
      "match x, y:\n  case *a,: pass\n",
      "match *x, y:\n  case 1: pass\n",
      "match = 1\nmatch.x = match[0]\nmatch(x)\nmatch, y = z\nprint(match)\ncase = type = _ = 1\nmatch * x\nmatch -x\nmatch in "
      "x\nmatch(x)[y]: int\n",
      "type X = int\ntype Y[T: int, *Ts, **P] = list[T]\ntype = 3\ntype(x)\ntype: int = 1\n",
      "def f[T = int](x: T) -> T: pass\nclass A[T]: pass\n",
      "x = lambda: (yield)\nx = lambda *a, **k: 1\nx = lambda *, a: 1\nx = lambda a=lambda: 1: a\n",
      "f(a)(b)[c](d=e)(**f)\nf(a, b=c, *d, e=f)\nf(a for a in b)\nf((a for a in b), c)\nf(x := 1)\n",
      "x[a:=1, b]\nx[*a]\nx[*a, b]\nx[:, 1]\nx[::]\nx[lambda: 1]\n",
      "del a, b[0], (c, d.e), [f]\nassert a, b\nraise a from b\nraise\nglobal a, b\n",
      "@a.b[c](d)\n@(x := y)\ndef f(): pass\n",
      "x = [*a, *b, c]\nx = {*a}\nx = {**a, 'b': 1}\nx = *a, *b\nx = *a\n",
      "x: (int) = 1\n(x): int\nx.y: int\nx[0]: int = yield\n",
      "a = b = yield\na, *b = c\n[a, b] = c\n(a, (b, c)) = d\n*a, = b\n",
      "a @= b\na //= b\na **= b\na >>= b\na <<= b\na ^= b\n(a) += 1\n",
      "x = a if b else lambda: c\n",
      "x = not not a\nx = ~-+a\n",
      "if 1:\n  if 2:\n    a\n  b\nc\n",
      "if 1: a; b;\nc; d\n",
      "x = f'{a}' f'{{}}' f'{a!r}' f'{a:>{w}.{p}}' f'{a=}' f'{a = !s:x}'\n",
      "x = f'{a[\"b\"]}' rf'\\{a}' f'\\N{BULLET}{a}' f'{{{a}}}' fr'\\N{a}'\n",
      "x = f'{f'{f'{1}'}'}'\nx = f'{\n  a  # comment\n}'\nx = f'''{\na\n:x}'''\n",
      "x = f'{lambda_:x}' f'{(lambda x: 1)}' f'{x:=5}' f'{(x:=5)}' f'{a != b}' f'{a,}' f'{*a, b}' f'{yield}'\n",
      "x = f'{a:%H:%M}' f'{ {1: 2}[1] }' f'{x[1:2]}'\n",
      "from .a import b\nfrom ... import c\nfrom .... import (d)\nfrom a.b import *\nfrom __future__ import annotations\n",
      "import a . b\nx = a . b\n",
      "\f\nx = 1\n\f\nif x:\n\f  y\n",
      "if x:\n  pass\n  \\\n\n",
      "nonlocal_ = None_ = True_\n",
      "x = 'caf\xC3\xA9'  # \xE4\xB8\xAD\n",
  };
  for (const char* source : cases) EXPECT_TRUE(accepts(source)) << source;
}

TEST(Parser, RefusesWhatCPythonRefuses) {
  const char* cases[] = {
      "print 'x'\n",
      "exec 'x'\n",
      "x = 0777\n",
      "x = 1__0\n",
      "x = 0x\n",
      "x = 1_\n",
      "x = 1abc\n",
      "x = 'a\n",
      "x = '''a\n",
      "x = (1\n",
      "x = 1)\n",
      "x = (1]\n",
      "x = \\ 1\n",
      "x = $\n",
      "if x:\ny\n",
      "  x\n",
      "if x:\n   y\n  z\n",
      "if x:\n\ty\n        z\n",
      "def f(a=1, b): pass\n",
      "def f(*): pass\n",
      "def f(**a, b): pass\n",
      "def f(*a, *b): pass\n",
      "def f(a, /, b, /): pass\n",
      "def f(/): pass\n",
      "def f((a, b)): pass\n",
      "f(a=1, b)\n",
      "f(**a, b)\n",
      "f(**a, *b)\n",
      "f(a for a in b, c)\n",
      "f(c, a for a in b)\n",
      "f(a.b=1)\n",
      "f(None=1)\n",
      "f() = 1\n",
      "a + b = 1\n",
      "1 = a\n",
      "a, b += 1\n",
      "(a, b): int\n",
      "x = *a, = b = c d\n",
      "del f()\n",
      "del *a\n",
      "for f() in x: pass\n",
      "for x in : pass\n",
      "with x as f(): pass\n",
      "try: pass\n",
      "try: pass\nexcept: pass\nexcept A: pass\n",
      "try: pass\nexcept* : pass\n",
      "try: pass\nexcept A: pass\nexcept* B: pass\n",
      "try: pass\nexcept A, e: pass\n",
      "class A(x for x in y): pass\n",
      "import a.b as c.d\n",
      "from a import\n",
      "from a import ()\n",
      "from a import b,\n",
      "from a import b.c\n",
      "import a,\n",
      "x = yield = 1\n",
      "(a)(b := 1, c := 2) := 3\n",
      "a.b := 1\n",
      "x := 1\n",
      "a + not b\n",
      "a not b\n",
      "a <> b\n",
      "`a`\n",
      "x = {a: b, c}\n",
      "x = {a, b: c}\n",
      "x = [*a for a in b]\n",
      "x = (*a)\n",
      "f'{a'\n",
      "f'}'\n",
      "f'{}'\n",
      "f'{a!}'\n",
      "f'{a!rr}'\n",
      "f'{lambda x: 1}'\n",
      "f'{a:{b}'\n",
      "f'{a b}'\n",
      "match x:\n  pass\n",
      "match x:\n  case 1: pass\n  x\n",
      "match x:\n  case {a: 1}: pass\n",
      "match x:\n  case A(x=1, 2): pass\n",
      "match x:\n  case (*a): pass\n",
      "type X\n",
      "type X.y = 1\n",
      "return x y\n",
      "pass x\n",
      "raise a from\n",
      "global a.b\n",
      "lambda x: int: 1\n",
      "lambda (x): 1\n",
      "async x\n",
      "async def f: pass\n",
      "await\n",
      "@x\ny\n",
      "else: pass\n",
      "x = a if b\n",
      "x..y\n",
      "x.1\n",
      "x[]\n",
      "x[1:2:3:4]\n",
      "def f() pass\n",
      "x = 1 2\n",
      "x 'a'\n",
      "ur'a'\n",
      "bf'a'\n",
      "\\\n",
      "x = \\",
      "if x: if y: z\n",
      "None = 1\n",
      "def None(): pass\n",
      "x.None\n",
      "import None\n",
      "caf\xC3\xA9 = 1\n",
      "; x\n",
      "x;; y\n",
  };
  for (const char* source : cases) EXPECT_FALSE(accepts(source)) << source;
  EXPECT_FALSE(accepts(std::string("x = 1\0y\n", 8)));
}

TEST(Parser, DeepNestingIsRefusedNotDied) {
  auto repeat = [](const std::string& text, int count) {
    std::string all;
    for (int time = 0; time < count; ++time) all += text;
    return all;
  };
  EXPECT_TRUE(accepts("x = " + repeat("(", 150) + "1" + repeat(")", 150) + "\n"));
  EXPECT_TRUE(accepts("x = " + repeat("1 + ", 100'000) + "1\n"));
  EXPECT_TRUE(accepts("x = a" + repeat(".b", 100'000) + "\n"));
  EXPECT_TRUE(accepts("x = a" + repeat("()", 100'000) + "\n"));
  EXPECT_TRUE(accepts("x = " + repeat("a and b or ", 100'000) + "c\n"));
  EXPECT_TRUE(accepts("if a: b\n" + repeat("elif a: b\n", 100'000)));
  for (const char* opening : {"(", "[", "{", "f(", "a[", "-", "not ", "lambda: ", "a ** ", "a if b else ", "a = ", "f'{",
                              "{a: ", "*", "[a for a in ", "await "}) {
    EXPECT_FALSE(accepts("x = " + repeat(opening, 100'000) + "1\n")) << opening;
  }
  EXPECT_FALSE(accepts("match x:\n  case " + repeat("[", 100'000) + "1\n"));
  std::string blocks;
  for (int level = 0; level < 2000; ++level) blocks += std::string(static_cast<std::size_t>(level), ' ') + "if a:\n";
  EXPECT_FALSE(accepts(blocks));
}

TEST(Parser, TakesTimeInProportionToTheText) {
  // A quadratic path would take minutes for these.
  auto begin = std::chrono::steady_clock::now();
  for (const std::string& line : {std::string("\"\"\"'\\\"\"\"\"\n"), std::string("match (x)\n"), std::string("with (a): pass\n"),
                                  std::string("x = f'{a}{b:{c}}'\n"), std::string("name_%d = 1\n"), std::string("# comment\n")}) {
    std::string source;
    for (int count = 0; count < 200'000; ++count) source += line;
    static_cast<void>(accepts(source));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

}  // namespace
}  // namespace starbridge::port::python
