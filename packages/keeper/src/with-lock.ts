const patience = 20_000;

/**
 * Does something while nobody else does anything under the same lock. The lock is the kernel's, on a file, and ends with
 * the process that holds it, however that ends; the file stays. Node offers such locks through its database alone, which
 * is loaded only here, since few keepers ever need it.
 */
export async function withLock<T>(file: string, act: () => Promise<T>): Promise<T> {
  const { DatabaseSync } = await import("node:sqlite");
  const lock = new DatabaseSync(file, { timeout: patience });
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return await act();
  } finally {
    lock.close();
  }
}
