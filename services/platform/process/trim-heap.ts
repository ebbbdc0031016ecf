/**
 * Gives the pages that malloc has free back to the system. glibc itself gives back only the end of its heap, so one
 * block in use holds back all that was freed before it: 213 MB in the five services after 24 minutes of load (ADR 42).
 * Does nothing where libc has no `malloc_trim` (musl, macOS) or koffi does not run.
 */
export async function trimHeap(): Promise<void> {
  mallocTrim ??= findMallocTrim();
  (await mallocTrim)(0);
}

type MallocTrim = (pad: number) => number;
let mallocTrim: Promise<MallocTrim> | undefined;

/** Loads koffi at the first call: it takes 20 ms, and a service starts often. */
async function findMallocTrim(): Promise<MallocTrim> {
  try {
    const { default: koffi } = await import("koffi");
    return koffi.load(null).func("int malloc_trim(size_t pad)") as MallocTrim;
  } catch {
    return () => 0;
  }
}
