import { globSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { createProgram } from "../packages/cli/src/program.ts";
import { readMarkdownPages } from "../scripts/docs/markdown-page.ts";
import { picturesFolder } from "../scripts/pictures.ts";
import {
  describePicture,
  findForeignRows,
  listCommandLines,
  maskVaryingText,
  paintRed,
} from "../scripts/pictures/compare-pictures.ts";
import { computeContrast } from "../scripts/pictures/inspect-picture.ts";
import { parseXml } from "../scripts/pictures/parse-xml.ts";
import { readPicture } from "../scripts/pictures/read-picture.ts";
import { capIdleTime, type Recording } from "../scripts/pictures/recording.ts";
import { renderAnimation, renderStill } from "../scripts/pictures/render-svg.ts";
import { scenes } from "../scripts/pictures/scenes.ts";
import { parseRows } from "../scripts/pictures/screen.ts";
import { styleSheet } from "../scripts/pictures/theme.ts";
import { root } from "../scripts/run.ts";
import { webPictures } from "../scripts/web-pictures/web-pictures.ts";

const readSvg = (name: string): string => readFileSync(join(picturesFolder, `${name}.svg`), "utf8");
const maxBytes = 150 * 1024;
const linkedFiles = readMarkdownPages(root).flatMap(({ file, links }) =>
  links.map(({ text: target }) => join(dirname(file), target)),
);

test("docs/pictures has one picture of each scene (npm run pictures writes them)", () => {
  const files = globSync("*", { cwd: picturesFolder }).toSorted();
  const ofTerminal = scenes.map(({ name }) => `${name}.svg`);
  const ofPage = Object.values(webPictures).map((name) => `${name}.webp`);
  expect(files).toEqual([...ofTerminal, ...ofPage].toSorted());
});

test.each(Object.values(webPictures))("the picture %s of the page is small, and linked by a document", (name) => {
  const file = `docs/pictures/${name}.webp`;
  expect(statSync(join(root, file)).size).toBeLessThan(100 * 1024);
  expect(linkedFiles).toContain(file);
});

describe.each(scenes)("the picture $name in docs/pictures (npm run pictures writes it)", (scene) => {
  const svg = readSvg(scene.name);

  it("is well-formed, small, and loads nothing", () => {
    expect(readPicture(svg).screens.join()).toContain("$ fairlead ");
    expect(Buffer.byteLength(svg)).toBeLessThan(maxBytes);
    expect(svg).not.toMatch(/href|url\(|@import|@font-face/);
  });

  it("has a title and a description", () => {
    const { children } = parseXml(svg);
    const texts = children.flatMap(({ name, text }) => (name === "title" || name === "desc" ? [text] : []));
    expect(texts).toEqual([scene.title, scene.description]);
  });

  it("contains no path of the machine that wrote it", () => expect(svg).not.toMatch(/\/(home|root|work|Users)\b/));

  it("shows only commands and options that exist", () => {
    const lines = listCommandLines(svg);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.flatMap(findUnknownWords)).toEqual([]);
  });

  it("has the current style sheet", () => {
    const style = parseXml(svg).children.find(({ name }) => name === "style")?.text ?? "";
    expect(style).toContain(styleSheet);
  });

  it("is linked by a document", () => {
    expect(linkedFiles).toContain(`docs/pictures/${scene.name}.svg`);
  });
});

/** Returns the command or the options of a command line that the CLI does not have. */
function findUnknownWords(line: string): string[] {
  const [, name = "", ...words] = line.replaceAll(/"[^"]*"/g, "text").split(" ");
  const command = createProgram(async () => {}).commands.find((candidate) => candidate.name() === name);
  if (command === undefined) return [name];
  return words.filter(
    (word) => word.startsWith("-") && !command.options.some(({ short, long }) => word === short || word === long),
  );
}

test("detects a command and an option that do not exist", () => {
  expect(findUnknownWords('fairlead run scripted -d --mode full-auto "--text"')).toEqual([]);
  expect(findUnknownWords("fairlead unknown scripted")).toEqual(["unknown"]);
  expect(findUnknownWords("fairlead run scripted --unknown")).toEqual(["--unknown"]);
});

const screenOf = (...lines: string[]) => ({ rows: parseRows(lines), cursor: { column: 0, row: 0 } });
const recording: Recording = {
  columns: 20,
  rows: 3,
  frames: [
    { at: 0, screen: screenOf("$", "", "") },
    { at: 100, screen: screenOf("$ l", "", "") },
    { at: 200, screen: screenOf("$ ls", "", "") },
    { at: 300, screen: screenOf("$ ls", "  <a> & \u001B[32mb\u001B[39m │ c", "$") },
    { at: 400, screen: screenOf("$", "", "") },
  ],
  steps: [2, 3],
  poster: 3,
  transcript: ["$ ls", "  <a> & b │ c"],
};
const text = { title: "A title", description: 'A "description" & more' };

describe("an animated picture", () => {
  const svg = renderAnimation(recording, text);

  it("shows the screens of the recording at the ends of its steps", () => {
    expect(readPicture(svg).screens).toEqual(["$ ls", "$ ls\n  <a> & b │ c\n$"]);
  });

  it("shows no other rows", () => {
    expect(findForeignRows(svg, [])).toEqual([]);
    expect(findForeignRows(svg.replace(">$ l<", ">$ rm<"), [])).toEqual(["$ rm"]);
    expect(findForeignRows(svg.replace(">$ l<", ">$ rm<"), ["$ rm"])).toEqual([]);
  });

  it("shows the poster without animation", () => {
    const poster = parseXml(svg).children.filter(({ attributes }) => attributes["class"]?.endsWith(" poster"));
    const texts = poster.map(({ children }) =>
      children
        .map((child) => child.text)
        .join(" ")
        .trim(),
    );
    expect(texts.filter(Boolean)).toEqual(["$ ls", "<a> & b │ c", "$"]);
  });
});

describe("the description of a picture", () => {
  const svg = renderAnimation(recording, text);

  it("has the style of each text", () => {
    const row = "  <a> & b │ c {plain: <a> &} {green: b} {plain: │} {plain: c}";
    expect(describePicture(svg)).toBe(`$ ls\n---\n$ ls\n${row}\n$`);
  });

  it.each(["red", "green bold", ""])("differs if green becomes '%s'", (style) => {
    const changed = svg.replaceAll('class="green"', `class="${style}"`);
    expect(describePicture(changed)).not.toBe(describePicture(svg));
    expect(readPicture(changed).screens).toEqual(readPicture(svg).screens);
  });

  it("differs if all text with a style is painted red", () => {
    expect(describePicture(paintRed(svg))).not.toBe(describePicture(svg));
  });
});

test("a still picture shows the last screen", () => {
  expect(readPicture(renderStill(recording, text)).screens).toEqual(["$"]);
});

test("a picture with a script is not read", () => {
  const svg = renderStill(recording, text).replace("</svg>", "<script>1</script></svg>");
  expect(() => readPicture(svg)).toThrow("script");
});

test("idle time is capped, and shorter times stay", () => {
  const times = [1000, 1040, 9040, 9090];
  const frames = times.map((at) => ({ at, screen: screenOf("$") }));
  const capped = capIdleTime({ ...recording, frames }, 1500);
  expect(capped.frames.map(({ at }) => at)).toEqual([0, 40, 1540, 1590]);
});

describe("the rows of a screen", () => {
  it("have runs of one color, and symbols alone, each at its column", () => {
    const rows = parseRows([
      "\u001B[2mdim · text\u001B[0m",
      "\u001B[32m✓\u001B[39m done",
      "\u001B[1mbold",
      "still bold",
    ]);
    const dim = { color: "dim", isBold: false };
    expect(rows).toEqual([
      [
        { column: 0, text: "dim", ...dim },
        { column: 4, text: "·", ...dim },
        { column: 6, text: "text", ...dim },
      ],
      [
        { column: 0, text: "✓", color: "green", isBold: false },
        { column: 2, text: "done", color: "default", isBold: false },
      ],
      [{ column: 0, text: "bold", color: "default", isBold: true }],
      [{ column: 0, text: "still bold", color: "default", isBold: true }],
    ]);
  });

  it("reject what a picture cannot show", () => {
    expect(() => parseRows(["\u001B[7mreverse"])).toThrow("attribute 7");
    expect(() => parseRows(["漢"])).toThrow("漢");
  });
});

test("masks what differs from run to run, and nothing else", () => {
  const line = "Scripted agent 24.1.0 · session 1pw4yxkzakwm · default · /tmp/hello-2";
  expect(maskVaryingText(line)).toBe("Scripted agent VERSION · session ID · default · WORKSPACE");
  expect(maskVaryingText("$ fairlead logs 1pw4")).toBe("$ fairlead logs ID");
  expect(maskVaryingText("— completed · 2 min 6 s")).toBe("— completed · TIME");
  expect(maskVaryingText("  ✓ Hello from the scripted agent.")).toBe("  ✓ Hello from the scripted agent.");
});

test.each([
  "<a><b></a>",
  "<a>",
  "<a/><b/>",
  "<a b=c/>",
  "<a>&x;</a>",
  "<a>& b</a>",
  "<a/>b",
  "<!--c--><a/>",
  '<a b="" b=""/>',
])("%s is not well-formed", (source) => expect(() => parseXml(source)).toThrow("malformed"));

test("contrast is computed as WCAG 2 defines it", () => {
  expect(computeContrast("rgb(0, 0, 0)", "rgb(255, 255, 255)")).toBeCloseTo(21);
  expect(computeContrast("rgb(255, 255, 255)", "rgb(119, 119, 119)")).toBeCloseTo(4.48, 2);
});
