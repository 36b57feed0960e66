/**
 * The source of a function for the page that lists what a text may not do there: become an element, an attribute or a link to
 * anything but the web, hide characters, take more than its line, or cover the page.
 */
export const inspectPage = String.raw`(base) => {
  const found = [];
  const note = (kind, element) => found.push(kind + " in <" + element.tagName.toLowerCase() + " class=\"" + String(element.className?.baseVal ?? element.className).slice(0, 60) + "\"> " + JSON.stringify((element.textContent ?? "").slice(0, 60)));
  const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u;
  if ("hasRun" in window) found.push("a script of a text has run");
  for (const element of document.querySelectorAll("[data-hostile]")) note("an element of a text", element);
  for (const element of document.querySelectorAll("iframe, frame, object, embed, base, form[action], audio, video, math, applet, portal, meta[http-equiv]")) note("a forbidden element", element);
  for (const element of document.querySelectorAll("script")) if (!String(element.src).startsWith(base + "/assets/")) note("a script", element);
  for (const element of document.querySelectorAll("img, source, link, image, use")) {
    const address = typeof element.href === "string" && element.href !== "" ? element.href : element.src || element.href?.baseVal || "";
    if (address !== "" && !address.startsWith(base + "/") && !address.startsWith("#")) note("a loaded address", element);
  }
  for (const link of document.querySelectorAll("a[href]")) {
    const isOwn = link.href.startsWith(base + "/");
    if (!/^https?:$/.test(link.protocol)) note("a link to " + link.protocol, link);
    if (!isOwn && (link.target !== "_blank" || !/noopener/.test(link.rel) || !/noreferrer/.test(link.rel))) note("a link that names the page", link);
    if (!isOwn && !link.parentElement.textContent.includes(link.host)) note("a link without its host", link);
  }
  for (const element of document.body.querySelectorAll("*")) {
    for (const { name, value } of element.attributes) {
      if (/^on/.test(name)) note("the attribute " + name, element);
      if (["title", "aria-label", "alt", "placeholder"].includes(name) && hidden.test(value)) note("hidden characters in " + name, element);
    }
    for (const child of element.childNodes) if (child.nodeType === 3 && hidden.test(child.data)) note("hidden characters", element);
  }
  for (const element of document.querySelectorAll(".truncate, [data-session]")) {
    const { height } = element.getBoundingClientRect();
    const line = Number.parseFloat(getComputedStyle(element).lineHeight);
    if (height > (element.matches("[data-session]") ? 33 : 2 * line - 1)) note("more than one line (" + Math.round(height) + " px)", element);
  }
  if (document.documentElement.scrollWidth > innerWidth + 1) {
    found.push("the page is " + document.documentElement.scrollWidth + " px wide");
    for (const element of document.querySelectorAll("main *")) if (element.getBoundingClientRect().right > innerWidth + 1) { note("too wide", element); break; }
  }
  const top = document.elementFromPoint(24, 16);
  if (top === null || top.closest("header") === null) found.push("the top bar is covered");
  if (hidden.test(document.title)) found.push("hidden characters in the title");
  return found;
}`;
