import { describe, expect, test } from "vitest";
import { withoutLoosening, type Policy, type PolicyRule } from "@fairlead/contract";
import { decide } from "./decide.ts";
import { defaultPolicy } from "./default-policy.ts";
import type { PolicyAction } from "./policy-action.ts";

const workspace = "/repo";

function run(command: string, ...policies: Policy[]): ReturnType<typeof decide> {
  return decide(policies.length === 0 ? [defaultPolicy] : policies, { kind: "run", command, workspace });
}

function policy(source: string, ...rules: PolicyRule[]): Policy {
  return { source, rules };
}

describe("the default policy", () => {
  test.each([
    "npm test",
    "npm run build && node dist/index.js",
    "pytest -q | tail -5",
    "pnpm serve",
    "pnpm run build && c8 node --test",
    "nyc mocha --reporter spec",
    "turbo run build lint test",
    "npm run test:deploy && npm run build:prod",
    "yarn workspace app test",
    "yarn install --immutable --mode skip-build",
    "pnpm install --frozen-lockfile",
    "npm pack --dry-run",
    "npm pack ./packages/x --pack-destination dist",
    "cargo test --workspace",
    "go test ./...",
    "make test",
    "git add -A && git commit -m 'Remove rm -rf / from the docs'",
    "sed -i 's/a/b/' src/a.ts",
    "rm -rf dist",
    "cp tmp/* .",
    "cp README.md LICENSE package.json dist/",
    "cp -r src/. build/",
    "mv src/a.ts src/b.ts lib/",
    "tar czf build.tgz -C dist .",
    "tar -xzf a.tgz -C tmp",
    "unzip a.zip -d tmp",
    "gcc -O2 a.c -o build/a",
    "esbuild src/a.ts --bundle --outfile=dist/a.js",
    "sed -i.bak 's/a/b/' src/a.ts",
    "cat .env.example",
    "cat *.json src/*.ts",
    "jq '.env, .jobs.env.X' a.json",
    "jq '{env: .x}' env.json",
    "ps aux",
    "ps -eo pid,etime",
    "ps -ef",
    "declare -p PATH",
    "kubectl get pods -o yaml",
    "/usr/bin/git status",
    "ls -la > files.txt 2>&1",
    "npx eslint --config src/../eslint.config.js .",
    "git clean -fdn",
    "python3 -Bm pytest -c x.ini",
    "python3 -u scripts/x.py -c foo",
    "python3 -W error scripts/x.py",
    "ruby -W:no-deprecated test/a_test.rb",
    "node -pe '1 + 1'",
    "node --eval='1 + 1'",
    'awk \'BEGIN { x = 1 / 2 } # a "comment"\n{ print $1 / 2, "a" }\' a',
    "awk '{ printf \"%d\\n\", ($1 + $2) / 2 }' a",
    'awk \'/a\\/b/ && $3 > 5 { print $1 " | " $2 / 2 " MB" }\' a',
    "awk '{ print $1 / 1024 \" MB/s\" }' a",
    "fd -HItx a",
    "git restore --source HEAD~1 --staged .",
    "git rm -fq --cached a",
    "git config --global --get user.name",
    "git config -f x.cfg -l",
    "git remote -v",
    "git remote show -n origin",
    "git mv src/a.ts src/b.ts",
    "git checkout feature/x",
    "cat > a.txt <<E\n$HOME\nE",
  ])("lets %s run", (command) => expect(run(command).verdict).toBe("allow"));

  test.each([
    ["git push origin main", "merge"],
    ["cd sub && git -C . merge feature", "merge"],
    ["npm install left-pad", "deps_add"],
    ["pnpm git push origin main", "merge"],
    ["bun run git push", "merge"],
    ["hatch run git push", "merge"],
    ["c8 git push", "merge"],
    ["c8 --all git push", "merge"],
    ["nyc curl evil.com", "network"],
    ["tox exec -- git push", "merge"],
    ["go build --toolexec='git push'", "unvetted"],
    ["mkdocs gh-deploy", "deploy"],
    ["buf push", "deploy"],
    ["turbo run deploy", "deploy"],
    ["turbo run build deploy", "deploy"],
    ["nx run app:deploy", "deploy"],
    ["npm run app:deploy", "deploy"],
    ["yarn workspace app add evil", "deps_add"],
    ["yarn workspace app deploy", "deploy"],
    ["pnpm install evil --frozen-lockfile", "deps_add"],
    ["yarn add evil --immutable", "deps_add"],
    ["bun install evil --frozen-lockfile", "deps_add"],
    ["npm pack evil-package", "deps_add"],
    ["cargo install evil --locked", "deps_add"],
    ["echo x >> requirements.txt", "deps_add"],
    ["cat .env", "secrets"],
    ["cat ./.en[v]", "secrets"],
    ["f=.env; cat $f", "secrets"],
    ["echo $API_TOKEN", "secrets"],
    ['x=$SERVICE_API_KEY; echo "$x"', "secrets"],
    ["declare -p SERVICE_API_KEY", "secrets"],
    ["jq -n env", "secrets"],
    ["jq -n '$ENV.X'", "secrets"],
    ["jq -n 'env.X'", "secrets"],
    ["awk 'BEGIN { print ENVIRON[\"X\"] }'", "secrets"],
    ["ps auxeww", "secrets"],
    ["cat /proc/self/env*", "secrets"],
    ["cat server.ke*", "secrets"],
    ["cat config/secrets.y*", "secrets"],
    ["kubectl get secret/x -o yaml", "secrets"],
    ["kubectl get -o yaml secret x", "secrets"],
    ['cat <<<"$API_TOKEN"', "secrets"],
    ["cat <<E\nx $API_TOKEN\nE", "secrets"],
    ["{ cat; } <<E\n$API_TOKEN\nE", "secrets"],
    ["npm publish", "deploy"],
    ["npm run deploy:prod", "deploy"],
    ["curl https://example.com", "network"],
    ["cat < /dev/tcp/x/80", "network"],
    ["rm -rf src", "destructive"],
    ["git reset --hard", "destructive"],
    ["sudo ls", "destructive"],
    ["git clean -fdxen", "destructive"],
    ["git clean -fde -n", "destructive"],
    ["git clean -n --no-dry-run -f", "destructive"],
    ["git restore -sS .", "destructive"],
    ["git reset --h", "destructive"],
    ["git branch --d x", "destructive"],
    ["git tag --d v1", "destructive"],
    ["git switch --force-create main HEAD~1", "destructive"],
    ["git checkout --pathspec-from-file=list", "destructive"],
    ["git checkout ':(top)'", "destructive"],
    ["git checkout src", "destructive"],
    ["git config -flib/../.git/config core.hooksPath evil", "agent-config"],
    ["git config -f list core.hooksPath evil", "agent-config"],
    ["git remote rm origin", "agent-config"],
    ["git remote show origin", "network"],
    ["git remote set-head origin -a", "network"],
    ["git mv payload .unknown-tool/settings.json", "agent-config"],
    ["git mv x/package.json .", "deps_add"],
    ["git fetch origin +refs/heads/x:refs/heads/main", "merge"],
    ["echo x > /etc/hosts", "destructive"],
    ["cp a .git/hooks/pre-push", "agent-config"],
    ["echo {} > .unknown-tool/settings.json", "agent-config"],
    ["git config core.hooksPath x", "agent-config"],
    ["sort --ou .git/hooks/pre-push a", "agent-config"],
    ["cp --target-directory=.git/hooks f", "agent-config"],
    ["cp -t.git/hooks f", "agent-config"],
    ["cp -rt .git/hooks f", "agent-config"],
    ["cp tmp/package.json .", "deps_add"],
    ["cp tmp/package.json a /repo", "deps_add"],
    ["cp tmp/AGENTS.md ./", "agent-config"],
    ["cp -r tmp/.unknown-tool .", "agent-config"],
    ["mv tmp/AGENTS.md ./", "agent-config"],
    ["unzip x.zip -d .git/hooks", "agent-config"],
    ["unzip x.zip -d /etc", "destructive"],
    ["tar -xC.git/hooks -f x", "agent-config"],
    ["tar xCf .git/hooks x", "agent-config"],
    ["tar xf x --directory=/etc", "destructive"],
    ["tar xPf x", "unvetted"],
    ["tar cf .git/hooks/pre-commit x", "agent-config"],
    ["gcc x.c -o .git/hooks/pre-commit", "agent-config"],
    ["go build -o .git/hooks/pre-commit .", "agent-config"],
    ["esbuild a.ts --outfile=.unknown-tool/settings.json", "agent-config"],
    ["sed -i.git/hooks/x s/a/b/ a", "unvetted"],
    ["rm -rf lib", "destructive"],
    ["rm -rf bin types doc", "destructive"],
    ["frobnicate", "unvetted"],
    ["../elsewhere/tool", "unvetted"],
    ["tar xf a.tar --to-command=sh", "unvetted"],
    ["sort --compress-prog=sh a", "unvetted"],
    ["sed '1e id' a", "unvetted"],
    ["awk 'BEGIN{system(\"id\")}'", "unvetted"],
    ["node -e 'process.exit()'", "unvetted"],
    ["python3 -IBc 'import os'", "unvetted"],
    ["python3 -Im evil install x", "unvetted"],
    ["python3 -Im pip install evil", "unvetted"],
    ["python3 -mpip install evil", "unvetted"],
    ["python3 -W -m -m pip install evil", "unvetted"],
    ["python3 -cimport\\ os x.py", "unvetted"],
    ["ruby -wane 'x' x", "unvetted"],
    ["ruby '-esystem(\"git push\")' x", "unvetted"],
    ["ruby -e 1 -e 'system(\"id\")'", "unvetted"],
    ["php -nr 'x();' x", "unvetted"],
    ["awk 'BEGIN { sys\\\ntem(\"id\") }'", "unvetted"],
    ["awk 'BEGIN { \"id\" | getline\\\nx }'", "unvetted"],
    ['awk \'BEGIN { # "\nsystem("id") # "\n}\'', "unvetted"],
    ['awk \'BEGIN { print /"/; system("id"); print /"/ }\'', "unvetted"],
    ['awk \'BEGIN { x = /"/; system("id"); y = /"/ }\'', "unvetted"],
    ["awk 'BEGIN { x = /#/; system(\"id\") }'", "unvetted"],
    ['awk \'BEGIN { x = a[/"/]; print "a" | "sh"; y = a[/"/] }\'', "unvetted"],
    ['awk \'BEGIN { $0 ~ /[/]"/; system("id"); $0 ~ /[/]"/ }\'', "unvetted"],
    ["fd -Hx git push", "merge"],
    ["npm test --prefix /elsewhere", "unvetted"],
    ["cd /elsewhere && make", "unvetted"],
    ["npx eslint --config ./../evil.js .", "unvetted"],
    ["npx eslint --config=lib/../../evil.js .", "unvetted"],
    ["npm exec eslint --package=evil", "deps_add"],
    ["npm x eslint --package evil", "deps_add"],
  ])("asks about %s: %s", (command, category) => {
    const { verdict, findings } = run(command);
    expect(verdict).toBe("ask");
    expect(findings.map((finding) => finding.category)).toContain(category);
  });

  test("asks about what cannot be known", () => {
    const { verdict, reason, rule } = run("$x y");
    expect({ verdict, reason, rule }).toEqual({
      verdict: "ask",
      reason: "It cannot be known what it does: the name of a program is computed: $x.",
      rule: null,
    });
  });

  test("explains itself", () => {
    expect(run("git push").reason).toBe("`git push` updates a shared ref; rule 1 of the default policy.");
  });
});

describe("the folder in which a command runs", () => {
  const runIn = (command: string, folder?: string, policies: Policy[] = [defaultPolicy]): string =>
    decide(policies, {
      kind: "run",
      command,
      workspace,
      agentFiles: ["agent"],
      ...(folder !== undefined && { folder }),
    }).verdict;

  test.each([
    "cd .git && cp ../evil.cfg config",
    "cd .git; cp ../evil.cfg config",
    "pushd .git; cp a config",
    "(cd .git && cp a config)",
    "cd src/.. && cd .git && echo x > config",
    "cd a; cd ..; cd .git; cp a config",
    "sh -c 'cd .git && cp a config'",
    "env -C .git cp a config",
    "env --chdir=.git cp a config",
    "cd .unknown-tool && tee settings.json",
    "cd agent && tee x",
    "cd sub && cp a ../agent",
    "cd .git/hooks && tar xf ../../a.tar",
    "cd node_modules/x && echo x > index.js",
    "find . -name hooks -execdir cp /repo/a config ';'",
    `${Array.from({ length: 9 }, (_, at) => `cd a${at}; `).join("")}ls`,
  ])("makes %s a question", (command) => expect(runIn(command)).toBe("ask"));

  test.each([
    ["cp ../evil.cfg config", "/repo/.git"],
    ["cp ../evil.cfg config", ".git"],
    ["touch x", "/repo/sub/../.git/hooks"],
    ["cp a b", "/repo/node_modules/x"],
    ["cat *", "/home/me/.ssh"],
    ["cat config", "/home/me/.aws"],
    ["cat .npmrc", "/repo/sub"],
  ])("makes %s in %s a question", (command, folder) => expect(runIn(command, folder)).toBe("ask"));

  test.each(["cd packages/x && npm test", "cd src && ls", "cd /repo && npm test", "(cd a && make) && cd b && make"])(
    "lets %s run",
    (command) => {
      expect(runIn(command)).toBe("allow");
      expect(runIn(command, "/repo/sub")).toBe("allow");
    },
  );

  test("counts for rules about paths", () => {
    const deny = [policy("d", { verdict: "deny", path: "infra/prod/**" }), defaultPolicy];
    for (const command of ["cd infra && echo x > prod/a", "cd infra/prod; make", "cd infra; cd prod; touch a"])
      expect(runIn(command, undefined, deny), command).toBe("deny");
    expect(runIn("echo x > prod/a", "/repo/infra", deny)).toBe("deny");
    expect(runIn("cd infra && echo x > test/a", undefined, deny)).toBe("allow");
  });
});

describe("other actions", () => {
  const verdictOf = (action: PolicyAction): string => decide([defaultPolicy], action).verdict;

  test("edits in the workspace run, and those of manifests, agent files and other places are asked about", () => {
    expect(verdictOf({ kind: "edit", paths: ["src/a.ts", "/repo/docs/b.md"], workspace })).toBe("allow");
    for (const path of ["package.json", ".git/config", "/etc/hosts", "../x", ".env"]) {
      expect(verdictOf({ kind: "edit", paths: [path], workspace })).toBe("ask");
    }
    expect(verdictOf({ kind: "edit", paths: ["agent.md"], workspace, agentFiles: ["agent.md"] })).toBe("ask");
  });

  test("a path has many spellings, and all of them are found", () => {
    const agentFiles = ["agent.md"];
    for (const path of [
      "/repo/../repo/agent.md",
      "/repo//agent.md",
      "//repo/package.json",
      "/repo/./x/../package.json",
      "/./repo/agent.md",
      "Agent.MD",
      "Package.JSON",
      ".SSH/config",
      "node_modules/.cache/../left-pad/index.js",
    ]) {
      expect(verdictOf({ kind: "edit", paths: [path], workspace, agentFiles }), path).toBe("ask");
    }
    const deny = policy("d", { verdict: "deny", path: "infra/**" });
    for (const path of ["/repo//infra/a", "/repo/../repo/infra/a", "//repo/infra/a", "/repo/x/../infra/a"]) {
      expect(decide([deny], { kind: "edit", paths: [path], workspace }).verdict, path).toBe("deny");
    }
    for (const path of ["//etc/shadow", "/./proc/self/environ", "/etc/../etc/shadow", "//run/secrets/x"]) {
      expect(verdictOf({ kind: "read", paths: [path], workspace }), path).toBe("ask");
    }
  });

  test("hidden files in a home count as secrets, however the home is written", () => {
    const ofCommand = (command: string, place = "/home/me/repo"): string[] =>
      decide([defaultPolicy], { kind: "run", command, workspace: place, home: "/data/me" }).findings.map(
        ({ category }) => category,
      );
    for (const path of [
      "~/.config/gh/hosts.yml",
      "/home/me/.config/gh/hosts.yml",
      "/home/other/.local/share/x",
      "/root/.config/gh/hosts.yml",
      "/Users/me/.config/gh/hosts.yml",
      "/users/me/.config/gh/hosts.yml",
      "/data/me/.config/gh/hosts.yml", // the person's own home
      "/proc/self/root/home/me/.config/gh/hosts.yml",
      "/home/*/.config/gh/hosts.yml",
      "/h*/me/.config/gh/hosts.yml",
      "/home/me/repo/../.config/gh/hosts.yml",
      "../.config/gh/hosts.yml",
    ]) {
      expect(ofCommand(`cat ${path}`), path).toContain("secrets");
      expect(
        decide([defaultPolicy], { kind: "read", paths: [path], workspace: "/home/me/repo", home: "/data/me" }).verdict,
        path,
      ).toBe("ask");
      expect(ofCommand(`echo x > ${path}`), path).toContain("agent-config");
    }
    expect(ofCommand("cat .config/gh/hosts.yml", "/home/me")).toContain("secrets"); // the workspace is a home
    for (const path of [
      "/home/me/repo/.github/x.yml",
      ".github/x.yml",
      "/home/me/notes.txt",
      "/srv/.x",
      "src/../.github/x",
    ])
      expect(ofCommand(`cat ${path}`), path).toEqual([]);
    for (const place of ["/home/me/.worktrees/repo", "/srv/home/app", "/srv/root"])
      expect(ofCommand("cat src/a.ts .github/x", place), place).toEqual([]);
  });

  test("reading is allowed but for secrets, fetching is network", () => {
    expect(verdictOf({ kind: "read", paths: ["src/a.ts"], workspace })).toBe("allow");
    expect(verdictOf({ kind: "read", paths: [".env"], workspace })).toBe("ask");
    expect(verdictOf({ kind: "fetch", hosts: ["example.com"] })).toBe("ask");
    expect(verdictOf({ kind: "other", tool: "plan" })).toBe("allow");
  });
});

describe("rules", () => {
  const ask: PolicyRule = { verdict: "ask", category: "merge" };

  test("deny beats ask beats allow, in any order of policies", () => {
    const allow = policy("a", { verdict: "allow", command: "git push" });
    const deny = policy("d", { verdict: "deny", command: "git push" });
    expect(run("git push", allow, policy("b", ask)).verdict).toBe("ask");
    expect(run("git push", policy("b", ask), allow).verdict).toBe("ask");
    for (const policies of [
      [allow, deny, policy("b", ask)],
      [deny, policy("b", ask), allow],
    ]) {
      expect(run("git push", ...policies)).toMatchObject({ verdict: "deny", rule: { source: "d", number: 1 } });
    }
  });

  test("a denial also holds where something else cannot be known", () => {
    expect(run("git push; $x", policy("d", { verdict: "deny", command: "git push" })).verdict).toBe("deny");
    expect(run("git -C sub push --force", policy("d", { verdict: "deny", command: "git push" })).verdict).toBe("deny");
  });

  test("an allowed command is a vetted one, its harmful variants are not", () => {
    const allow = policy("u", { verdict: "allow", command: "frob test" });
    expect(run("frob test --fast", defaultPolicy, allow).verdict).toBe("allow");
    for (const command of [
      "frob deploy",
      "frob test; rm -rf /",
      "sudo frob test",
      "/x/frob test",
      "frob $x",
      "frob test > ~/x",
    ]) {
      expect(run(command, defaultPolicy, allow).verdict, command).toBe("ask");
    }
    const test = policy("u", { verdict: "allow", command: "npm test" });
    expect(run("npm test --script-shell=/x", defaultPolicy, test).verdict).toBe("ask");
  });

  test("a rule allows an action only if it allows all of it", () => {
    const named = (rule: Omit<PolicyRule, "verdict">, action: PolicyAction): boolean =>
      decide([policy("u", { verdict: "allow", ...rule }, { verdict: "allow", command: "npm run lint" })], action)
        .rule !== null;
    const runs = (command: string): PolicyAction => ({ kind: "run", command, workspace });
    const edits = (...paths: string[]): PolicyAction => ({ kind: "edit", paths, workspace });
    for (const command of ["npm test", "npm test -- a", "npm test && npm test", "npm test && npm run lint"])
      expect(named({ command: "npm test" }, runs(command)), command).toBe(true);
    for (const command of ["npm test; node evil.js", "npm test | sh x", "sudo npm test", "X=1; npm test", "./npm test"])
      expect(named({ command: "npm test" }, runs(command)), command).toBe(false);
    expect(named({ path: "docs/**" }, edits("docs/a", "/repo/docs/b"))).toBe(true);
    for (const paths of [["docs/a", "src/b"], ["../docs/a"], ["/docs/a"], ["docs/../src/a"], []])
      expect(named({ path: "docs/**" }, edits(...paths)), paths.join()).toBe(false);
    expect(named({ host: "a.com" }, { kind: "fetch", hosts: ["a.com"] })).toBe(true);
    expect(named({ host: "a.com" }, { kind: "fetch", hosts: ["a.com", "b.com"] })).toBe(false);
    expect(named({ host: "a.com" }, runs("curl -fsSL https://a.com/x"))).toBe(true);
    for (const command of [
      "curl https://a.com b.com",
      "curl https://a.com; node x",
      "curl https://a.com https://b.com",
    ])
      expect(named({ host: "a.com" }, runs(command)), command).toBe(false);
  });

  test("a denial also holds for what a computed path or an option could be", () => {
    const deny = policy("d", { verdict: "deny", path: "infra/prod/**" });
    for (const command of [
      "cp a infra/pro[d]/a",
      "cp a infra/*/a",
      "tee infra/pro?/a < b",
      "sed -i s/a/b/ infra/*/*",
      "cp a $x/prod/a",
      "cp --target-directory=infra/prod/x a",
      "cp -tinfra/prod/x a",
      "cp a Infra/prod/a",
      "cd infra && rm */a",
    ])
      expect(run(command, deny, defaultPolicy).verdict, command).toBe("deny");
    for (const command of [
      "cp a infra/te*/a",
      "cp a infra/test/a",
      "ls *",
      "echo $x",
      "cp --target-directory=infra/test a",
    ])
      expect(run(command, deny).verdict, command).toBe("allow");
  });

  test("a denial of a host also holds for addresses without a scheme, and for computed ones", () => {
    const deny = policy("d", { verdict: "deny", host: "example.com" });
    for (const command of [
      "curl example.com/x",
      "curl -x example.com:80 a.org",
      "curl --url=http://example.com",
      "curl --proxy=example.com a.org",
      "curl http://me@example.com./x",
      "git fetch example.com:x",
      "git fetch git@example.com:x/y.git",
      "ssh me@example.com",
      'curl "$url"',
    ])
      expect(run(command, deny).verdict, command).toBe("deny");
    for (const command of ["curl a.org/example.com", "git fetch origin", "echo example.com", 'echo "$url"'])
      expect(run(command, deny).verdict, command).toBe("allow");
  });

  test("path, host and tool match", () => {
    const deny = (rule: Omit<PolicyRule, "verdict">): Policy => policy("d", { verdict: "deny", ...rule });
    expect(decide([deny({ path: "docs/**" })], { kind: "edit", paths: ["/repo/docs/a/b.md"], workspace }).verdict).toBe(
      "deny",
    );
    expect(decide([deny({ path: "docs/*" })], { kind: "edit", paths: ["docs/a/b.md"], workspace }).verdict).toBe(
      "allow",
    );
    expect(decide([deny({ path: "**/*.sql" })], { kind: "edit", paths: ["a/b/c.sql"], workspace }).verdict).toBe(
      "deny",
    );
    expect(decide([deny({ host: "*.example.com" })], { kind: "fetch", hosts: ["a.example.com"] }).verdict).toBe("deny");
    expect(run("curl https://a.example.com/x", deny({ host: "*.example.com" })).verdict).toBe("deny");
    expect(decide([deny({ host: "example.com" })], { kind: "fetch", hosts: ["notexample.com"] }).verdict).toBe("allow");
    expect(decide([deny({ tool: "edit" })], { kind: "edit", paths: ["a"], tool: "Write" }).verdict).toBe("deny");
    expect(decide([deny({ tool: "Write" })], { kind: "edit", paths: ["a"], tool: "Write" }).verdict).toBe("deny");
    expect(decide([deny({ tool: "Write", path: "b" })], { kind: "edit", paths: ["a"], tool: "Write" }).verdict).toBe(
      "allow",
    );
  });

  test("without rules only what cannot be known is asked about", () => {
    expect(decide([], { kind: "run", command: "git push" }).verdict).toBe("allow");
    expect(decide([], { kind: "run", command: "eval $x" }).verdict).toBe("ask");
  });
});

describe("a rule about a room", () => {
  const rooms = { web: ["packages/web"], admin: ["packages/web/admin"], docs: ["docs", "README.md"] };
  const edit = (rule: PolicyRule, ...paths: string[]): string =>
    decide([policy("test", { verdict: "ask" }, rule)], { kind: "edit", paths, workspace, rooms }).rule?.number === 2
      ? rule.verdict
      : "ask";
  const deny: PolicyRule = { verdict: "deny", tool: "edit", room: "web" };

  test.each([
    ["packages/web/a.ts", "deny"],
    ["/repo/packages/web/a.ts", "deny"],
    ["../repo/packages/web/a.ts", "deny"],
    ["Packages/Web/a.ts", "deny"],
    ["packages/*/a.ts", "deny"],
    ["packages/web", "deny"],
    ["packages/web/admin/a.ts", "ask"],
    ["packages/website/a.ts", "ask"],
    ["/elsewhere/packages/web/a.ts", "ask"],
    ["../packages/web/a.ts", "ask"],
  ])("denies what may be in it: %s", (path, verdict) => expect(edit(deny, path)).toBe(verdict));

  test("allows only if all paths are in it", () => {
    const allow = (room: string, ...paths: string[]): string =>
      decide([policy("test", { verdict: "allow", tool: "edit", room })], { kind: "edit", paths, workspace, rooms })
        .rule === null
        ? "none"
        : "allow";
    expect(allow("web", "packages/web/a.ts", "/repo/packages/web/b.ts")).toBe("allow");
    expect(allow("docs", "README.md", "docs/a.md")).toBe("allow");
    expect(allow("web", "packages/web/a.ts", "src/b.ts")).toBe("none");
    expect(allow("web", "packages/web/admin/a.ts")).toBe("none");
    expect(allow("web", "Packages/Web/a.ts")).toBe("none");
    expect(allow("web", "packages/web/*/a.ts")).toBe("none");
    expect(allow("web", "packages/web/../../a.ts")).toBe("none");
    expect(allow("other", "packages/web/a.ts")).toBe("none");
    expect(allow("web")).toBe("none");
  });

  test("does not allow its command elsewhere", () => {
    const rule: PolicyRule = { verdict: "allow", command: "frob", room: "docs" };
    const asking: PolicyRule = { verdict: "ask", category: "unvetted" };
    const test = (command: string): string =>
      decide([policy("test", asking, rule, { verdict: "allow", command: "ls" })], {
        kind: "run",
        command,
        workspace,
        rooms,
      }).verdict;
    expect(test("frob docs/a.md; ls src")).not.toBe("allow");
  });
});

test("a rule keeps its number when others are left out", () => {
  const rules: PolicyRule[] = [
    { verdict: "allow", command: "frob" },
    { verdict: "deny", command: "git push" },
  ];
  expect(run("git push", withoutLoosening(policy("test", ...rules))).rule).toEqual({ source: "test", number: 2 });
});

describe("a tool of an MCP server", () => {
  const call = { kind: "other", tool: "mcp__notes__add_note", isIncomplete: true, workspace: "/w" } as const;
  const verdictOf = (...rules: PolicyRule[]): string => decide([policy("test", ...rules), defaultPolicy], call).verdict;

  test("is asked about, because nobody can tell what it does", () => {
    expect(verdictOf()).toBe("ask");
    expect(verdictOf({ verdict: "allow" })).toBe("ask");
    expect(verdictOf({ verdict: "allow", tool: "other" })).toBe("ask");
    expect(verdictOf({ verdict: "allow", tool: "mcp__notes__add" })).toBe("ask");
  });

  test("is allowed by a rule with its name, unless another one asks or denies", () => {
    const allow: PolicyRule = { verdict: "allow", tool: call.tool };
    expect(verdictOf({ verdict: "allow" }, allow)).toBe("allow");
    expect(verdictOf(allow, { verdict: "ask", tool: call.tool })).toBe("ask");
    expect(verdictOf(allow, { verdict: "deny" })).toBe("deny");
    expect(decide([policy("test", allow)], { ...call, tool: "Bash" }).verdict).toBe("ask");
    // Only of a server: what an agent's own tool does is told by its adapter.
    const own = { ...call, tool: "Strange" };
    expect(decide([policy("test", { verdict: "allow", tool: "Strange" })], own).verdict).toBe("ask");
  });
});
