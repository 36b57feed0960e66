import fc from "fast-check";
import { expect, test } from "vitest";
import { commandNames } from "./command-names.ts";

test.each([
  ["an empty text", "", []],
  ["a comment", "ls # rm", ["ls"]],
  ["a pipe", "ls | rm", ["ls", "rm"]],
  ["a pipe of both streams", "ls |& rm", ["ls", "rm"]],
  ["and, or, sequence and background", "a && b || c; d & e\nf", ["a", "b", "c", "d", "e", "f"]],
  ["a folder", "/usr/bin/rm x", ["rm"]],
  ["the home folder", "~/bin/rm x", ["rm"]],
  ["a subshell", "(cd x; rm y)", ["cd", "rm"]],
  ["a group", "{ rm x; }", ["rm"]],
  ["a substitution", "echo $(rm x)", ["echo", "rm"]],
  ["a substitution in quotes", 'echo "a $(rm x)"', ["echo", "rm"]],
  ["no substitution in single quotes", "echo '$(rm x)'", ["echo"]],
  ["back-ticks", "echo `rm x`", ["echo", "rm"]],
  ["back-ticks in back-ticks", "echo `a \\`rm\\``", ["echo", "a", "rm"]],
  ["an expanded here-document", "cat <<E\n$(rm x)\nE", ["cat", "rm"]],
  ["a here-document that is not expanded", "cat <<'E'\n$(rm x)\nE", ["cat"]],
  ["a here-string", "cat <<< $(rm)", ["cat", "rm"]],
  ["empty single quotes in a name", "r''m x", ["rm"]],
  ["empty double quotes in a name", 'r""m x', ["rm"]],
  ["a quoted name", '"rm" x', ["rm"]],
  ["an escape in a name", "r\\m x", ["rm"]],
  ["an escape before a name", "\\rm x", ["rm"]],
  ["a line end in a name", "r\\\nm x", ["rm"]],
  ["C escapes in a name", "$'\\x72m' x", ["rm"]],
  ["an assignment before", "A=1 rm x", ["rm"]],
  ["a command in an assignment", "A=$(rm)", ["rm"]],
  ["a command in an array", "a=( $(rm) )", ["rm"]],
  ["a command in an index", "a[$(rm)]=1", ["rm"]],
  ["a command in a default value", "echo ${x:-$(rm)}", ["echo", "rm"]],
  ["a command in arithmetic", "echo $(( $(rm) ))", ["echo", "rm"]],
  ["a command in a condition", "[[ a == $(rm) ]]", ["rm"]],
  ["a function", "f() { rm; }; f", ["rm", "f"]],
  ["a redirection", "ls > x 2>&1 < y", ["ls"]],
  ["a command in a redirection", "ls > $(rm)", ["ls", "rm"]],
  ["a process substitution", "diff <(rm a) >(dd b)", ["diff", "rm", "dd"]],
  ["an if statement", "if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]],
  ["loops", "for x in $(a); do b; done; while c; do d; done; until e; do f; done", ["a", "b", "c", "d", "e", "f"]],
  ["a case statement", "case $(a) in x) b;; *) c;; esac", ["a", "b", "c"]],
  ["a negation", "! rm", ["rm"]],
  ["the shell keyword time", "time rm", ["rm"]],
  ["a coprocess", "coproc rm", ["rm"]],
])("lists the programs of %s without a doubt", (_, text, names) => {
  expect(commandNames(text)).toEqual({ names, doubt: null });
});

test.each([
  ["$x y", "$x"],
  ["${x}m y", "${x}m"],
  ["rm$x y", "rm$x"],
  ['"r$x" y', '"r$x"'],
  ["$(echo rm) y", "$(echo rm)"],
  ["`echo rm` y", "`echo rm`"],
  ["r? y", "r?"],
  ["/bin/[r]m y", "/bin/[r]m"],
  ["{r,}m y", "{r,}m"],
  ["A=1 $x", "$x"],
  ["ls; $x", "$x"],
])("%s: reports a computed name as a doubt and does not guess it", (text, name) => {
  const { names, doubt } = commandNames(text);
  expect(doubt).toBe(`the name of a command is computed: ${name}`);
  expect(names).not.toContain("rm");
});

const runners =
  "eval exec source . env xargs sh bash dash zsh ksh sudo doas su nohup nice timeout command builtin setsid watch " +
  "ssh find parallel";

test.each(runners.split(" "))("reports that %s runs its arguments", (runner) => {
  const doubt = `${runner} runs other commands`;
  expect(commandNames(`${runner} rm x`)).toEqual({ names: [runner], doubt });
  expect(commandNames(`ls | '${runner}' rm`)).toEqual({ names: ["ls", runner], doubt });
});

test("reports that the program time, unlike the keyword, runs its arguments", () => {
  expect(commandNames("'time' rm").doubt).toBe("time runs other commands");
  expect(commandNames("/usr/bin/time rm").doubt).toBe("time runs other commands");
});

test.each(["if", "echo 'x", '"', "ls;;", "&& ls", "echo $(ls", "for", "case x in", "cat <(ls", "f() {"])(
  "reports that %j cannot be parsed",
  (text) => expect(commandNames(text).doubt).toBe("it cannot be parsed"),
);

test.each(["(", "$(", "{ ", "if ", "${x:-", "(("])("survives 5000 nested %s and reports a doubt", (opening) => {
  expect(commandNames(opening.repeat(5000)).doubt).toBe("it cannot be parsed");
});

test("survives deeply nested functions and reports a doubt", () => {
  expect(commandNames("f() ".repeat(50_000)).doubt).toBe("it cannot be parsed");
});

test("reports the first of several doubts", () => {
  expect(commandNames("env x; $y").doubt).toBe("env runs other commands");
});

test("never throws, whatever the text", () => {
  const fragments =
    "rm ls $( ) ` ' \" ${ } { ( ; | || & && < > << E \n \\ $x (( )) [[ ]] if then fi for do done case in esac f()";
  const shellish = fc.array(fc.constantFrom(" ", ...fragments.split(" "))).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.oneof(shellish, fc.string({ unit: "binary" })), (text) => {
      const { names, doubt } = commandNames(text);
      for (const name of names) expect(name).not.toContain("/");
      expect(doubt === null || doubt.length > 0).toBe(true);
    }),
    { numRuns: 1000 },
  );
});
