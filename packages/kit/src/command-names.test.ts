import fc from "fast-check";
import { expect, test } from "vitest";
import { commandNames } from "./command-names.ts";

test.each([
  ["nothing", "", []],
  ["a comment", "ls # rm", ["ls"]],
  ["a pipe", "ls | rm", ["ls", "rm"]],
  ["a pipe of both streams", "ls |& rm", ["ls", "rm"]],
  ["and, or, then and meanwhile", "a && b || c; d & e\nf", ["a", "b", "c", "d", "e", "f"]],
  ["a folder", "/usr/bin/rm x", ["rm"]],
  ["the home folder", "~/bin/rm x", ["rm"]],
  ["a subshell", "(cd x; rm y)", ["cd", "rm"]],
  ["a group", "{ rm x; }", ["rm"]],
  ["a substitution", "echo $(rm x)", ["echo", "rm"]],
  ["a substitution in quotes", 'echo "a $(rm x)"', ["echo", "rm"]],
  ["no substitution in single quotes", "echo '$(rm x)'", ["echo"]],
  ["back-ticks", "echo `rm x`", ["echo", "rm"]],
  ["back-ticks in back-ticks", "echo `a \\`rm\\``", ["echo", "a", "rm"]],
  ["a here-document that is expanded", "cat <<E\n$(rm x)\nE", ["cat", "rm"]],
  ["a here-document that is not", "cat <<'E'\n$(rm x)\nE", ["cat"]],
  ["a here-string", "cat <<< $(rm)", ["cat", "rm"]],
  ["empty single quotes in a name", "r''m x", ["rm"]],
  ["empty double quotes in a name", 'r""m x', ["rm"]],
  ["a quoted name", '"rm" x', ["rm"]],
  ["an escape in a name", "r\\m x", ["rm"]],
  ["an escape before a name", "\\rm x", ["rm"]],
  ["a line end in a name", "r\\\nm x", ["rm"]],
  ["escapes of C in a name", "$'\\x72m' x", ["rm"]],
  ["an assignment before", "A=1 rm x", ["rm"]],
  ["an assignment of what is run", "A=$(rm)", ["rm"]],
  ["a list of what is run", "a=( $(rm) )", ["rm"]],
  ["an index of what is run", "a[$(rm)]=1", ["rm"]],
  ["a default that is run", "echo ${x:-$(rm)}", ["echo", "rm"]],
  ["arithmetic that runs", "echo $(( $(rm) ))", ["echo", "rm"]],
  ["a condition that runs", "[[ a == $(rm) ]]", ["rm"]],
  ["a function", "f() { rm; }; f", ["rm", "f"]],
  ["a redirection", "ls > x 2>&1 < y", ["ls"]],
  ["a redirection into what is run", "ls > $(rm)", ["ls", "rm"]],
  ["a process in place of a file", "diff <(rm a) >(dd b)", ["diff", "rm", "dd"]],
  ["a choice", "if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]],
  ["loops", "for x in $(a); do b; done; while c; do d; done; until e; do f; done", ["a", "b", "c", "d", "e", "f"]],
  ["cases", "case $(a) in x) b;; *) c;; esac", ["a", "b", "c"]],
  ["a negation", "! rm", ["rm"]],
  ["the word time of the shell", "time rm", ["rm"]],
  ["a coprocess", "coproc rm", ["rm"]],
])("%s: what runs is named, beyond doubt", (_, text, names) => {
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
])("%s: a name that is computed is not guessed at", (text, name) => {
  const { names, doubt } = commandNames(text);
  expect(doubt).toBe(`the name of a command is computed: ${name}`);
  expect(names).not.toContain("rm");
});

const runners =
  "eval exec source . env xargs sh bash dash zsh ksh sudo doas su nohup nice timeout command builtin setsid watch " +
  "ssh find parallel";

test.each(runners.split(" "))("%s runs its arguments, so its own name says little", (runner) => {
  const doubt = `${runner} runs other commands`;
  expect(commandNames(`${runner} rm x`)).toEqual({ names: [runner], doubt });
  expect(commandNames(`ls | '${runner}' rm`)).toEqual({ names: ["ls", runner], doubt });
});

test("time in quotes is the program, and runs its arguments too", () => {
  expect(commandNames("'time' rm").doubt).toBe("time runs other commands");
  expect(commandNames("/usr/bin/time rm").doubt).toBe("time runs other commands");
});

test.each(["if", "echo 'x", '"', "ls;;", "&& ls", "echo $(ls", "for", "case x in", "cat <(ls", "f() {"])(
  "%j cannot be parsed, and that is said",
  (text) => expect(commandNames(text).doubt).toBe("it cannot be parsed"),
);

test.each(["(", "$(", "{ ", "if ", "${x:-", "(("])("%s, opened endlessly, is doubted and does no harm", (opening) => {
  expect(commandNames(opening.repeat(5000)).doubt).toBe("it cannot be parsed");
});

test("functions of functions, endlessly, are doubted too", () => {
  expect(commandNames("f() ".repeat(50_000)).doubt).toBe("it cannot be parsed");
});

test("of several doubts the first is told", () => {
  expect(commandNames("env x; $y").doubt).toBe("env runs other commands");
});

test("any text at all has names or a doubt, and never throws", () => {
  const scraps =
    "rm ls $( ) ` ' \" ${ } { ( ; | || & && < > << E \n \\ $x (( )) [[ ]] if then fi for do done case in esac f()";
  const shellish = fc.array(fc.constantFrom(" ", ...scraps.split(" "))).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.oneof(shellish, fc.string({ unit: "binary" })), (text) => {
      const { names, doubt } = commandNames(text);
      for (const name of names) expect(name).not.toContain("/");
      expect(doubt === null || doubt.length > 0).toBe(true);
    }),
    { numRuns: 1000 },
  );
});
