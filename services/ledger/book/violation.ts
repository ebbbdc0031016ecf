/** What is wrong with a book: the check that found it, and where. */
export interface Violation {
  readonly check: string;
  readonly detail: string;
}
