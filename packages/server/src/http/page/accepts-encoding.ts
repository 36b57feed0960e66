/** The encodings in which the server sends bodies. */
export type ContentEncoding = "br" | "gzip";

/** Whether an `Accept-Encoding` header names an encoding, and does not exclude it with the weight 0. */
export function acceptsEncoding(header: string | undefined, encoding: ContentEncoding): boolean {
  return (header ?? "").split(",").some((part) => {
    const [name = "", ...parameters] = part.split(";").map((word) => word.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
