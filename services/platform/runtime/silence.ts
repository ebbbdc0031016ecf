/** How long a server that is asked something has not answered. */
export class Silence {
  /** When the server last answered, or was first asked. Undefined while nothing is asked. */
  #since: number | undefined;

  begin(): void {
    this.#since = performance.now();
  }

  /** The server has answered, also if with an error. */
  interrupt(): void {
    if (this.#since !== undefined) this.#since = performance.now();
  }

  end(): void {
    this.#since = undefined;
  }

  get ms(): number {
    return this.#since === undefined ? 0 : performance.now() - this.#since;
  }
}
