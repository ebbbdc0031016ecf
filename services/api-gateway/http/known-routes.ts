/** The paths that have routes, to distinguish a wrong method (405, with `Allow`) from a wrong path (404). */
export class KnownRoutes {
  readonly #routes: { readonly segments: readonly string[]; readonly methods: readonly string[] }[] = [];

  /** `url` is Fastify's pattern: `/v1/payment-orders/:id`. */
  add(url: string, method: string | readonly string[]): void {
    this.#routes.push({ segments: url.split("/"), methods: [method].flat() });
  }

  /**
   * The methods of a URL's path, sorted; none for a path without a route. A route that spells out the path takes
   * precedence over one with an id in it: `/preview` does not match `/:id`.
   */
  methodsOf(url: string): string[] {
    const segments = (url.split("?", 1)[0] ?? "").split("/");
    const fitting = this.#routes.filter(
      (route) =>
        route.segments.length === segments.length &&
        route.segments.every((part, index) =>
          part.startsWith(":") ? segments[index] !== "" : part === segments[index],
        ),
    );
    const literal = fitting.filter((route) => !route.segments.some((part) => part.startsWith(":")));
    const meant = literal.length > 0 ? literal : fitting;
    return [...new Set(meant.flatMap((route) => route.methods))].sort();
  }
}
