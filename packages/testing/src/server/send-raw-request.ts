import { connect } from "node:net";

/**
 * Sends a request byte for byte, since an HTTP client would normalize it, and returns the response head in lower case.
 */
export async function sendRawRequest(port: number, request: string): Promise<{ status: number; head: string }> {
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  try {
    socket.write(request);
    let text = "";
    for await (const part of socket) {
      text += String(part);
      if (text.includes("\r\n\r\n")) break;
    }
    const [head = ""] = text.split("\r\n\r\n", 1);
    return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head: head.toLowerCase() };
  } finally {
    socket.destroy();
  }
}
