import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Certificate } from "../../../server/src/http/tls/certificate.ts";

export interface IssueOptions {
  /** The names, as openssl takes them. */
  readonly names?: string;
  /** Days of validity. A negative number makes a certificate that has expired. */
  readonly days?: number;
  /** The elliptic curve of the key. Its size decides whether TLS accepts the key. */
  readonly curve?: string;
}

/** A certificate authority of a test, made by openssl. Disposing it removes its files. */
export class CertificateAuthority implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "ca-"));
  readonly file = join(this.#folder, "ca.pem");
  #count = 0;

  constructor() {
    this.#createKey("ca.key");
    this.#run([
      "req",
      "-x509",
      "-new",
      "-key",
      "ca.key",
      "-subj",
      "/CN=test authority",
      "-days",
      "2",
      "-out",
      "ca.pem",
    ]);
  }

  get pem(): string {
    return readFileSync(this.file, "utf8");
  }

  /** Issues a certificate with a new key. */
  issue(options: IssueOptions = {}): Certificate {
    const { certFile, keyFile } = this.issueFiles(options);
    return { cert: readFileSync(certFile, "utf8"), key: readFileSync(keyFile, "utf8") };
  }

  issueFiles({ names = "DNS:localhost,IP:127.0.0.1", days = 1, curve }: IssueOptions = {}): {
    readonly certFile: string;
    readonly keyFile: string;
  } {
    this.#count += 1;
    const name = `service-${this.#count}`;
    this.#createKey(`${name}.key`, curve);
    this.#run(["req", "-new", "-key", `${name}.key`, "-subj", `/CN=${name}`, "-out", `${name}.csr`]);
    writeFileSync(join(this.#folder, `${name}.cnf`), `subjectAltName=${names}\n`);
    const signing = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", `${name}.cnf`];
    this.#run(["x509", "-req", "-in", `${name}.csr`, ...signing, "-days", String(days), "-out", `${name}.pem`]);
    return { certFile: join(this.#folder, `${name}.pem`), keyFile: join(this.#folder, `${name}.key`) };
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #createKey(file: string, curve = "prime256v1"): void {
    this.#run(["ecparam", "-name", curve, "-genkey", "-noout", "-out", file]);
  }

  #run(words: readonly string[]): void {
    execFileSync("openssl", words, { cwd: this.#folder, stdio: ["ignore", "ignore", "pipe"] });
  }
}
