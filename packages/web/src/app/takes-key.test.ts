import { expect, test } from "vitest";
import { type KeyedElement, takesKey } from "./takes-key.ts";

function element(
  localName: string,
  attributes: Readonly<Record<string, string>> = {},
  parentElement: KeyedElement | null = null,
): KeyedElement {
  return { localName, isContentEditable: false, parentElement, getAttribute: (name) => attributes[name] ?? null };
}

const body = element("body");
const input = (type?: string): KeyedElement => element("input", type === undefined ? {} : { type }, body);
const keys = ["y", "Enter", " ", "ArrowDown"];

test.each<[string, KeyedElement, readonly string[]]>([
  ["the page", body, []],
  ["a text", element("p", {}, body), []],
  ["a button", element("button", {}, body), ["Enter", " "]],
  ["a mark in a button", element("kbd", {}, element("button", {}, body)), ["Enter", " "]],
  ["a link", element("a", { href: "/" }, body), ["Enter", " "]],
  ["the summary of details", element("summary", {}, body), ["Enter", " "]],
  ["a row of the list", element("a", { href: "/", "data-page-keys": "" }, body), []],
  ["a command of a menu", element("div", { role: "menuitem" }, body), ["Enter", " ", "ArrowDown"]],
  ["a radio button", input("radio"), ["Enter", " ", "ArrowDown"]],
  ["a check box", input("checkbox"), ["Enter", " ", "ArrowDown"]],
  ["a slider", input("range"), ["Enter", " ", "ArrowDown"]],
  ["a field", input(), keys],
  ["a search", input("search"), keys],
  ["a text area", element("textarea", {}, body), keys],
  ["a choice", element("select", {}, body), keys],
  ["a terminal", element("div", {}, element("div", { class: "a xterm" }, body)), keys],
  ["an editable text", { ...element("div", {}, body), isContentEditable: true }, keys],
])("%s takes its keys, and the page has the others", (_, target, taken) => {
  expect(keys.filter((key) => takesKey(key, target))).toEqual(taken);
});
