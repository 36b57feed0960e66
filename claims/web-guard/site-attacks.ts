/** What a hostile page tries on a service at another origin. */
export interface SiteAttack {
  readonly name: string;
  /**
   * JavaScript, an expression of a promise that says whether the attack got something. It may use `base`, `session`,
   * `asset`, `style`, `icon` and the functions of `attackFunctions`.
   */
  readonly code: string;
}

/** Functions for the code of attacks, and their variables. */
export function attackFunctions(variables: Readonly<Record<string, string>>): string {
  const constants = Object.entries(variables).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`);
  return `${constants.join("")}
    const loads = (tag, fields, place = document.body) => new Promise((resolve) => {
      const element = Object.assign(document.createElement(tag), fields);
      element.onload = () => resolve(true);
      element.onerror = () => resolve(false);
      place.append(element);
      setTimeout(() => resolve(false), 4000);
    });
    const frames = async (fields, tag = "iframe") => {
      const before = window.length;
      const element = Object.assign(document.createElement(tag), fields);
      document.body.append(element);
      await new Promise((resolve) => setTimeout(resolve, 1500));
      return window.isFramed(element.src || element.data || "");
    };
    const fetches = (path, options) => fetch(base + path, options).then(
      async (response) => response.type === "opaque" ? window.isAnswered(path) : response.ok && (await response.text()) !== "", () => false);
    const sends = async (path, act) => { await act(); await new Promise((resolve) => setTimeout(resolve, 500)); return window.isAnswered(path); };
    const connects = (path, protocols) => new Promise((resolve) => {
      const socket = new WebSocket(base.replace("http", "ws") + path, protocols);
      socket.onopen = () => { resolve(true); socket.close(); };
      socket.onerror = () => resolve(false);
    });
    const form = (path, enctype, fields) => {
      const frame = Object.assign(document.createElement("iframe"), { name: "target" + Math.random() });
      const element = Object.assign(document.createElement("form"), { method: "post", action: base + path, enctype, target: frame.name });
      for (const [name, value] of Object.entries(fields)) element.append(Object.assign(document.createElement("input"), { name, value }));
      document.body.append(frame, element);
      element.submit();
    };`;
}

const framing: readonly SiteAttack[] = [
  { name: "a frame with the page", code: `frames({ src: base + "/?frame=1" })` },
  { name: "a frame with the inbox", code: `frames({ src: base + "/inbox?frame=2" })` },
  { name: "a frame with a card", code: `frames({ src: base + "/inbox/" + session + "/1" })` },
  {
    name: "a frame in a sandbox",
    code: `frames({ src: base + "/?frame=3", sandbox: "allow-scripts allow-same-origin" })`,
  },
  { name: "an object with the page", code: `frames({ data: base + "/?frame=4", type: "text/html" }, "object")` },
  { name: "an embed with the page", code: `frames({ src: base + "/?frame=5", type: "text/html" }, "embed")` },
];

const loading: readonly SiteAttack[] = [
  { name: "an asset as a script", code: `loads("script", { src: base + asset })` },
  { name: "an asset as a module", code: `loads("script", { src: base + asset, type: "module" })` },
  { name: "an asset as a script with CORS", code: `loads("script", { src: base + asset, crossOrigin: "anonymous" })` },
  { name: "a style of the page", code: `loads("link", { href: base + style, rel: "stylesheet" })` },
  { name: "the icon as an image", code: `loads("img", { src: base + icon })` },
  { name: "a module that imports an asset", code: `import(base + asset).then(() => true, () => false)` },
];

const reading: readonly SiteAttack[] = [
  { name: "fetch of the page", code: `fetches("/?fetch=1")` },
  { name: "fetch of the page without CORS", code: `fetches("/?fetch=2", { mode: "no-cors" })` },
  {
    name: "fetch of the page with credentials",
    code: `fetches("/?fetch=3", { credentials: "include", mode: "no-cors" })`,
  },
  { name: "fetch of an asset", code: `fetches(asset + "?fetch=4", { mode: "no-cors" })` },
  { name: "fetch of the sessions", code: `fetches("/v1/sessions")` },
  { name: "fetch of the sessions without CORS", code: `fetches("/v1/sessions?limit=7", { mode: "no-cors" })` },
  { name: "fetch of the grant", code: `fetches("/v1/grant")` },
  { name: "fetch of the health", code: `fetches("/healthz")` },
  {
    name: "XMLHttpRequest of the decisions",
    code: `new Promise((resolve) => { const r = new XMLHttpRequest(); r.open("GET", base + "/v1/decisions"); r.onload = () => resolve(r.status === 200); r.onerror = () => resolve(false); r.send(); })`,
  },
  {
    name: "EventSource of the events",
    code: `new Promise((resolve) => { const s = new EventSource(base + "/v1/sessions/" + session + "/events?follow=true"); s.onopen = () => { s.close(); resolve(true); }; s.onerror = () => { s.close(); resolve(false); }; })`,
  },
];

const writing: readonly SiteAttack[] = [
  {
    name: "a message as text",
    code: `fetches("/v1/sessions/" + session + "/messages", { method: "POST", mode: "no-cors", body: JSON.stringify({ text: "a" }) })`,
  },
  {
    name: "a message as JSON",
    code: `fetches("/v1/sessions/" + session + "/messages?x=1", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ text: "b" }) })`,
  },
  {
    name: "a guess of a code",
    code: `fetches("/v1/grant", { method: "POST", mode: "no-cors", body: JSON.stringify({ code: "flc_x" }) })`,
  },
  {
    name: "a beacon with a message",
    code: `sends("/v1/sessions/" + session + "/messages?x=2", () => navigator.sendBeacon(base + "/v1/sessions/" + session + "/messages?x=2", JSON.stringify({ text: "c" })))`,
  },
  {
    name: "a form with a message",
    code: `sends("/v1/sessions/" + session + "/messages?x=3", () => form("/v1/sessions/" + session + "/messages?x=3", "text/plain", { '{"text":"d","x': '"}' }))`,
  },
  {
    name: "a form that stops the service",
    code: `sends("/v1/shutdown?x=4", () => form("/v1/shutdown?x=4", "application/x-www-form-urlencoded", {}))`,
  },
  { name: "a WebSocket to the overview", code: `connects("/v1/overview", ["fairlead.v1"])` },
  { name: "a WebSocket to a session", code: `connects("/v1/sessions/" + session + "/events", ["fairlead.v1"])` },
  {
    name: "a WebSocket with a guessed token",
    code: `connects("/v1/overview", ["fairlead.v1", "fairlead.bearer.fl_guess"])`,
  },
  { name: "a WebSocket to the tools", code: `connects("/v1/sessions/" + session + "/tools", ["fairlead.v1"])` },
];

export const siteAttacks: readonly SiteAttack[] = [...framing, ...loading, ...reading, ...writing];
