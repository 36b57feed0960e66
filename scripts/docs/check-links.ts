import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { parseMarkdownPage, type MarkdownPage, type PageProblem } from "./markdown-page.ts";

/** The number of checked links and paths, and the faults. */
export interface LinkReport {
  readonly links: number;
  readonly paths: number;
  readonly problems: readonly PageProblem[];
}

/** Checks that every internal link leads to a file and a heading, and that every path in code exists. */
export function checkLinks(root: string, pages: readonly MarkdownPage[]): LinkReport {
  const internalLinks = pages.flatMap((page) =>
    page.links.filter(({ text }) => isInternal(text)).map((link) => ({ page, ...link })),
  );
  const paths = pages.flatMap((page) =>
    page.codeSpans.filter(({ text }) => repositoryPath.test(text)).map((span) => ({ page, ...span })),
  );
  const problems = [
    ...internalLinks.map(({ page, line, text }) => ({
      file: page.file,
      line,
      problem: explainBrokenLink(root, page, text),
    })),
    ...paths.map(({ page, line, text }) => ({ file: page.file, line, problem: explainMissingPath(root, text) })),
  ];
  return {
    links: internalLinks.length,
    paths: paths.length,
    problems: problems.flatMap(({ file, line, problem }) => (problem === null ? [] : [{ file, line, problem }])),
  };
}

/** A path from the root of the repository, as it is written in code. It may be a pattern. */
const repositoryPath = /^(?:packages|docs|scripts|test|claims|bench|measure|examples|\.github|\.ci)\/[\w.*{},@/-]+$/;
/** Folders that a clone does not have. */
const untrackedPath = /(?:^|\/)(?:node_modules|dist|\.agents|\.node|\.tmp)(?:\/|$)/;

function isInternal(link: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:|^\/\//i.test(link);
}

function explainBrokenLink(root: string, page: MarkdownPage, link: string): string | null {
  const [path = "", fragment] = link.split("#", 2).map(decodeURIComponent);
  if (path === "") return explainBrokenFragment(page, link, fragment);
  const target = normalize(path.startsWith("/") ? `.${path}` : join(dirname(page.file), path));
  if (target.startsWith("..")) return `The link ${link} leaves the repository.`;
  if (untrackedPath.test(target)) return `The link ${link} leads to a folder that is not in the repository.`;
  if (!existsSync(join(root, target))) return `The link ${link} leads to no file.`;
  if (fragment === undefined) return null;
  if (!target.endsWith(".md")) return explainBrokenLine(join(root, target), link, fragment);
  return explainBrokenFragment(parseMarkdownPage(target, readFileSync(join(root, target), "utf8")), link, fragment);
}

function explainBrokenFragment({ file, anchors }: MarkdownPage, link: string, fragment = ""): string | null {
  return anchors.has(fragment) ? null : `The link ${link} leads to no heading of ${file}.`;
}

/** A fragment of a source file names lines: `#L3` or `#L3-L8`. */
function explainBrokenLine(path: string, link: string, fragment: string): string | null {
  const [, first = "", last = first] = /^L(\d+)(?:-L(\d+))?$/.exec(fragment) ?? [];
  if (first === "") return `The link ${link} has a fragment, but its file has no headings.`;
  const count = readFileSync(path, "utf8").split("\n").length;
  return Math.max(Number(first), Number(last)) <= count ? null : `The link ${link} leads behind the end of the file.`;
}

function explainMissingPath(root: string, path: string): string | null {
  if (untrackedPath.test(path)) return null;
  const exists = /[*{]/.test(path) ? globSync(path, { cwd: root }).length > 0 : existsSync(join(root, path));
  return exists ? null : `The path ${path} does not exist.`;
}
