import { describe, expect, test } from "vitest";
import { maxShellTextLength, parseShell } from "./parse-shell.ts";

/** The programs of a text with their arguments; `?` is an unknown argument. */
function commandsOf(text: string): string[] {
  return parseShell(text)
    .commands.filter(({ path }) => path !== null)
    .map(({ path, args }) => [path, ...args.map(({ value }) => value ?? "?")].join(" "));
}

function doubtsOf(text: string): string[] {
  return parseShell(text).doubts.map(({ kind }) => kind);
}

describe("commands", () => {
  test.each([
    ["a; b && c || d | e & f", ["a", "b", "c", "d", "e", "f"]],
    ["(a; { b; }); if c; then d; else e; fi", ["a", "b", "c", "d", "e"]],
    ["for x in $(a); do b; done; while c; do d; done; case $(e) in x) f;; esac", ["a", "b", "c", "d", "e", "f"]],
    ['echo "$(a `b`)" <(c) ${x:-$(d)} $((y[$(e)]))', ["b", "a ?", "c", "d", "e", "echo ? ? ? ?"]],
    ["cat <<E\n$(a)\nE", ["a", "cat"]],
    ["cat <<'E'\n$(a)\nE", ["cat"]],
    ["f() { a; }; f", ["a", "f"]],
    ["r'm' \"-r\"f $'\\x2f'", ["rm -rf /"]],
    ["{rm,-rf,/}", ["rm -rf /"]],
    ["x=a; $x b", ["a b"]],
    ["eval a b; trap 'c' EXIT", ["eval a b", "a b", "trap c EXIT", "c"]],
  ])("of %s", (text, commands) => {
    expect(commandsOf(text)).toEqual(commands);
    expect(doubtsOf(text)).toEqual([]);
  });

  test.each([
    ["sudo -u root -- rm x", "rm x"],
    ["env -i A=1 timeout -k 1 5 nice -n19 rm x", "rm x"],
    ["bash -lc 'rm x'", "rm x"],
    ["sh <<E\nrm x\nE", "rm x"],
    ["find . -exec rm {} + -execdir rm x \\;", "rm x"],
    ["ls | xargs -n1 rm", "rm ?"],
    ["ssh -p 22 host rm x", "rm x"],
    ["env -S 'rm x'", "rm x"],
    ["script -qc 'rm x' /dev/null", "rm x"],
    ["poetry run rm x", "rm x"],
    ["command -p rm x", "rm x"],
  ])("in %s", (text, inner) => {
    expect(commandsOf(text)).toContain(inner);
    expect(doubtsOf(text)).toEqual([]);
  });

  test("knows the wrappers, inputs and redirections", () => {
    const [, inner] = parseShell("a | sudo b < in >> out 2>&1").commands.slice(1);
    expect(inner).toMatchObject({ program: "b", wrappers: ["sudo"], input: "file" });
    const [, outer] = parseShell("a | sudo b < in >> out 2>&1").commands;
    expect(outer?.redirects.map(({ direction, path }) => [direction, path.value])).toEqual([
      ["read", "in"],
      ["append", "out"],
    ]);
  });

  test("does not take a value for known that can change", () => {
    expect(commandsOf("x=a; read x; echo $x")).toContain("echo ?");
    expect(commandsOf("x=a; x=b; echo $x")).toContain("echo ?");
    expect(commandsOf("x=a & echo $x")).toContain("echo ?");
    expect(commandsOf("x=a; sh -c 'echo $x'")).toContain("echo ?");
    expect(commandsOf("x='a b'; echo $x")).toContain("echo ?");
    expect(commandsOf("x='a b'; echo \"$x\"")).toContain("echo a b");
  });
});

describe("doubts", () => {
  test.each([
    ["$x y", "dynamic-program"],
    ["/bin/r* x", "dynamic-program"],
    ["$(a) b", "dynamic-program"],
    ["eval $x", "dynamic-code"],
    ['bash -c "$x"', "dynamic-code"],
    [". <(a)", "dynamic-code"],
    ["echo ${x@P}", "dynamic-code"],
    ["x='a[$(b)]'; echo $((x))", "dynamic-code"],
    ['a=$(b); x="a[${a}(b)]"; echo $((x))', "dynamic-code"],
    ["[[ 'a[$(b)]' -eq 0 ]]", "dynamic-code"],
    ["test -v 'a[$(b)]'", "dynamic-code"],
    ["a | sh", "piped-code"],
    ["sh < a", "piped-code"],
    ["{ a; bash; } < b", "piped-code"],
    ["alias ls=rm", "shadowed"],
    ["hash -p /bin/rm ls", "shadowed"],
    ["sh() { :; }; unset -f sh; sh -c a", "shadowed"],
    ["f() { builtin unset sh; }; sh() { :; }; f; sh -c a", "shadowed"],
    ["LD_PRELOAD=x ls", "environment"],
    ["export PATH=/tmp:$PATH", "environment"],
    ["env GIT_SSH_COMMAND=x git fetch", "environment"],
    ["for PATH in /tmp; do ls; done", "environment"],
    ["read PATH", "environment"],
    ["PAGER='sh -c x' git log", "environment"],
    ["ls *(e:a:)", "other-shell"],
    ["echo ${(e)x}", "other-shell"],
    ["=ls", "other-shell"],
    ["zsh -c ls", "other-shell"],
    ["ls \u202e x", "hidden-characters"],
    ["ls \u001b[1G", "hidden-characters"],
    ["timeout --unknown 5 ls", "wrapper"],
    ["nice $x ls", "wrapper"],
    ["ls 'x", "syntax"],
    [`ls ${"x".repeat(maxShellTextLength)}`, "too-long"],
  ])("about %s", (text, kind) => {
    expect(doubtsOf(text)).toContain(kind);
  });

  test.each([
    "PAGER=cat git log",
    "NODE_ENV=test npm test",
    "PYTHONPATH=src pytest",
    "a=1; echo $((a+1))",
    "echo '$(x)'",
    "x=1; unset x",
    'n=$(a); b="[$n]"; echo $((n + 1))',
  ])("not about %s", (text) => expect(doubtsOf(text)).toEqual([]));
});
