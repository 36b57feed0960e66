import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Slugger from "github-slugger";
import MarkdownIt from "markdown-it";

/** A piece of a page with its place. */
export interface PagePart {
  readonly line: number;
  readonly text: string;
}

/** A fenced code block. */
export interface CodeBlock {
  /** The line of the opening fence, from 1. */
  readonly line: number;
  /** The first word after the fence. */
  readonly language: string;
  /** The other words after the fence. */
  readonly flags: readonly string[];
  readonly code: string;
}

/** A Markdown document, as far as its checks need it. */
export interface MarkdownPage {
  /** Relative to the root of the repository. */
  readonly file: string;
  readonly text: string;
  /** Targets of links, pictures and their sources. */
  readonly links: readonly PagePart[];
  /** The fragments that a link may have: slugs of headings, and ids in HTML. */
  readonly anchors: ReadonlySet<string>;
  readonly codeSpans: readonly PagePart[];
  readonly codeBlocks: readonly CodeBlock[];
}

/** A fault in a page. */
export interface PageProblem {
  readonly file: string;
  readonly line: number;
  readonly problem: string;
}

/** The documents of the repository. */
export const documentPatterns = ["*.md", "docs/**/*.md", "packages/*/README.md", ".github/**/*.md", "examples/**/*.md"];

/** Reads the documents below a root. */
export function readMarkdownPages(root: string): MarkdownPage[] {
  return globSync(documentPatterns, { cwd: root, exclude: (path) => path.endsWith("node_modules") })
    .toSorted()
    .map((file) => parseMarkdownPage(file, readFileSync(join(root, file), "utf8")));
}

const parser = new MarkdownIt({ html: true });

export function parseMarkdownPage(file: string, text: string): MarkdownPage {
  const slugger = new Slugger();
  const links: PagePart[] = [];
  const anchors = new Set<string>();
  const codeSpans: PagePart[] = [];
  const codeBlocks: CodeBlock[] = [];
  let line = 1;
  let isHeading = false;
  for (const token of parser.parse(text, {})) {
    // Cells of a table have no position of their own. That of their row is the last one.
    if (token.map !== null) line = token.map[0] + 1;
    if (token.type === "fence") {
      const [language = "", ...flags] = token.info.trim().split(/\s+/);
      codeBlocks.push({ line, language, flags, code: token.content });
    }
    if (token.type === "html_block") readHtml(token.content, line);
    if (token.type === "inline") {
      const children = token.children ?? [];
      if (isHeading) anchors.add(slugger.slug(children.map(({ content }) => content).join("")));
      let childLine = line;
      for (const child of children) {
        if (child.type === "softbreak" || child.type === "hardbreak") childLine += 1;
        if (child.type === "code_inline") codeSpans.push({ line: childLine, text: child.content });
        if (child.type === "html_inline") readHtml(child.content, childLine);
        for (const [name, value] of child.attrs ?? [])
          if (name === "href" || name === "src") links.push({ line: childLine, text: String(value) });
      }
    }
    isHeading = token.type === "heading_open";
  }
  return { file, text, links, anchors, codeSpans, codeBlocks };

  function readHtml(html: string, line: number): void {
    for (const [, name = "", value = ""] of html.matchAll(/\s(href|src|srcset|id|name)\s*=\s*["']([^"']*)["']/g)) {
      if (name === "id" || name === "name") anchors.add(value);
      else if (name !== "srcset") links.push({ line, text: value });
      else for (const source of value.split(",")) links.push({ line, text: source.trim().split(/\s/)[0] ?? "" });
    }
  }
}
