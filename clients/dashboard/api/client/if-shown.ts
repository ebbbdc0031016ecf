/** What has a version, which its `ETag` says. */
interface Versioned {
  readonly version: number;
}

export const etagOf = ({ version }: Versioned) => `"${String(version)}"`;

/** Carried out only if the resource is still as it was shown; else 412 `precondition_failed`. */
export const ifShown = (shown: Versioned) => ({ "If-Match": etagOf(shown) });
