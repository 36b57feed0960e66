import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { SessionView } from "@fairlead/api";

/** A page without a framework that asks for the list and prints each session in a line. */
const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Bare</title><style>body{font:13px/20px sans-serif}li{height:32px}</style><ul></ul><script type="module">
const views = await (await fetch("/sessions.json")).json();
document.querySelector("ul").append(...views.map((view) => {
  const line = document.createElement("li");
  line.dataset.session = view.session;
  line.textContent = [view.state, view.name, view.title, view.label, view.workspace, view.lastAt].join(" · ");
  return line;
}));</script></html>`;

/** Serves the bare page: the least time in which a browser can show these sessions. */
export class BarePage implements AsyncDisposable {
  readonly url: string;
  readonly #close: () => Promise<void>;

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.#close = close;
  }

  static async serve(sessions: readonly SessionView[]): Promise<BarePage> {
    const bodies = { "/": gzipSync(html), "/sessions.json": gzipSync(JSON.stringify(sessions)) } as const;
    const server = createServer(({ url = "/" }, response) => {
      const body = bodies[url as keyof typeof bodies];
      const type = url === "/" ? "text/html" : "application/json";
      if (body === undefined) response.writeHead(404).end();
      else response.writeHead(200, { "content-type": type, "content-encoding": "gzip" }).end(body);
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    return new BarePage(`http://127.0.0.1:${port}`, async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }
}
