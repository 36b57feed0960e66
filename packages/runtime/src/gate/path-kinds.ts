import { isHiddenInHome, type KnownPlaces } from "./home-path.ts";
import { normalizePath, segmentsOf } from "./locate-path.ts";

const secretNames =
  /^(?:\.env(?:\..+|rc)?|\.netrc|_netrc|\.npmrc|\.yarnrc\.yml|\.pypirc|\.git-credentials|\.pgpass|\.my\.cnf|\.htpasswd|\.vault-token|\.?credentials(?:\..+)?|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|gpg|asc)|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|.*_rsa|\.(?:bash|zsh|python|node_repl|psql|mysql)_history|application_default_credentials\.json|service-account.*\.json|secrets?\.(?:json|ya?ml|toml|env|ini)|auth\.json|access[_-]?tokens?\.json|tokens?\.json|shadow|gshadow|sudoers|environ)$/i;
const harmlessNames = /^\.env\.(?:example|sample|template|dist|defaults|schema)$|^secrets?\.(?:example|sample)\./i;
const secretFolders = new Set([
  ".ssh",
  ".aws",
  ".gnupg",
  ".kube",
  ".docker",
  ".azure",
  ".gcloud",
  "gcloud",
  ".password-store",
]);
/** Names that a pattern such as `.e*` is compared with. */
const hiddenSecrets = [
  ".env",
  ".env.local",
  ".netrc",
  ".npmrc",
  ".ssh",
  ".aws",
  ".gnupg",
  ".pypirc",
  ".git-credentials",
];

/** Patterns of the shell that match names of keys and secrets, and few others. */
const secretPatterns = /^(?:.*\.(?:k|ke|key|pe|pem|p1|p12|pf|pfx|jks?|kdb?x?)|id_[a-z]*|secrets?(?:\.[a-z]*)?)\*+$/i;

/** Reports whether a path may contain credentials. */
export function isSecretPath(written: string, places: KnownPlaces): boolean {
  const path = normalizePath(written);
  const segments = segmentsOf(path, undefined);
  const name = segments.at(-1) ?? "";
  if (/^\/(?:var\/)?run\/secrets\//.test(path)) return true;
  if (path.startsWith("/proc/") && name.includes("*") && name !== "*" && overlaps(name, "environ")) return true;
  if (/^environ$/i.test(name) && !path.startsWith("/proc/")) return false;
  if (/^(?:shadow|gshadow|sudoers)$/i.test(name) && !path.startsWith("/etc/")) return false;
  if (secretNames.test(name) && !harmlessNames.test(name)) return true;
  if (secretPatterns.test(name)) return true;
  if (segments.some((segment) => secretFolders.has(segment.toLowerCase()))) return true;
  // In the home, tools keep their logins in hidden files.
  if (isHiddenInHome(written, places)) return true;
  return segments.some(
    (segment) =>
      segment.startsWith(".") && segment.includes("*") && hiddenSecrets.some((secret) => matches(segment, secret)),
  );
}

/** Compares with a pattern in which `*` is any text. */
export function matches(pattern: string, text: string): boolean {
  const [start = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return pattern === text;
  if (!text.startsWith(start)) return false;
  let at = start.length;
  const end = rest.pop() ?? "";
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - end.length >= at && text.endsWith(end);
}

/** Reports whether a text exists that two patterns match. */
export function overlaps(one: string, other: string): boolean {
  const [left, right] = [one, other].map((pattern) => pattern.replace(/\*+/g, "*")) as [string, string];
  // `reached[at]`: the characters of `left` so far and the first `at` ones of `right` can be the same text.
  let reached = [true, ...Array.from(right, (_, at) => at === 0 && right[0] === "*")];
  for (const char of left) {
    const next = [char === "*" && reached[0] === true];
    for (let at = 0; at < right.length; at += 1) {
      const isAny = char === "*" || right[at] === "*";
      const isStep = isAny ? reached[at + 1] === true || next[at] === true : char === right[at];
      next.push(isAny ? isStep || reached[at] === true : isStep && reached[at] === true);
    }
    reached = next;
  }
  return reached.at(-1) === true;
}

/** Hidden files and folders of projects that make nothing run. */
const harmlessHidden =
  /^\.(?:gitignore|gitattributes|gitkeep|keep|mailmap|editorconfig|dockerignore|npmignore|prettierignore|eslintignore|nojekyll|(?:prettier|eslint|babel|browserslist|stylelint|mocha|nyc|swc|c8|jshint|pylint|coverage)rc.*|rubocop.*|markdownlint.*|nvmrc|(?:node|python|ruby|java)-version|tool-versions|clang-format|clang-tidy|rustfmt\.toml|flake8|isort\.cfg|github|circleci|gitlab-ci\.yml|travis\.yml|storybook|changeset|well-known|artifacts|build|tmp|temp|dist|out|cache|next|nuxt|turbo|vite|parcel-cache|svelte-kit|output|nyc_output|coverage|eslintcache|tsbuildinfo|docusaurus|pytest_cache|mypy_cache|ruff_cache|venv|tox|nox|eggs|gradle|stryker-tmp|vitest-reports)$/;

/**
 * Reports whether a path of the workspace configures a tool or an agent, which may then run something. A hidden file that is
 * not known counts, since no list of agents is complete.
 */
export function isConfigPath(path: string, workspace: string | undefined, agentFiles: readonly string[]): boolean {
  const segments = segmentsOf(path, workspace);
  // Some file systems do not tell `agents.md` from `AGENTS.md`.
  const relative = `${segments.join("/")}/`.toLowerCase();
  if (agentFiles.some((file) => relative.startsWith(`${segmentsOf(file, undefined).join("/").toLowerCase()}/`)))
    return true;
  if (/^(?:AGENTS|MEMORY|fairlead)\.(?:md|ya?ml)$/i.test(segments.at(-1) ?? "")) return true;
  const hidden = segments.filter((segment) => segment.startsWith("."));
  return hidden.some((segment) => !harmlessHidden.test(segment)) && !segments.includes("node_modules");
}

const manifestNames =
  /^(?:package\.json|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|pnpm-workspace\.yaml|bun\.lockb?|deno\.(?:jsonc?|lock)|(?:dev-)?requirements.*\.(?:txt|in)|constraints\.txt|pyproject\.toml|poetry\.lock|uv\.lock|Pipfile(?:\.lock)?|setup\.(?:py|cfg)|environment\.ya?ml|Cargo\.(?:toml|lock)|go\.(?:mod|sum|work)|Gemfile(?:\.lock)?|.*\.gemspec|composer\.(?:json|lock)|pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|libs\.versions\.toml|.*\.(?:cs|fs|vb)proj|packages\.config|mix\.exs|Package\.swift|Podfile|pubspec\.yaml|build\.sbt|flake\.nix)$/i;

/** Reports whether a path lists the dependencies of the project. */
export function isManifestPath(path: string, workspace: string | undefined): boolean {
  const segments = segmentsOf(path, workspace);
  return manifestNames.test(segments.at(-1) ?? "") && !isGeneratedPath(segments.slice(0, -1).join("/"));
}

const generatedNames =
  /^(?:dist|build|out|output|target|coverage|node_modules|tmp|temp|obj|logs?|__pycache__|site-packages|lib-cov|es|esm|cjs|umd|typings|storybook-static|docs?-build|reports?|test-results|playwright-report|coverage-.*|.*-(?:out|output|dist|build)|\.(?:cache|next|nuxt|turbo|vite|parcel-cache|svelte-kit|output|nyc_output|pytest_cache|mypy_cache|ruff_cache|venv|tox|nox|gradle|eggs|build|tmp|stryker-tmp)|.*\.(?:egg-info|log|tmp|bak|orig|rej|pyc|o|tsbuildinfo|tgz))$/;

/** Reports whether a path is, or is in, a folder that a build writes. */
export function isGeneratedPath(path: string): boolean {
  return segmentsOf(path, undefined).some((segment) => generatedNames.test(segment));
}
