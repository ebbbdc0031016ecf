/**
 * The part after `from` of a statement that reads the newest rows of several ranges of an index. `values` are arrays;
 * each position in them is a row of `w`. `walk` reads the range of one such row, down to the page's limit. The caller
 * sorts the rows of all ranges and takes a page. With `column = any (…)` Postgres would read all ranges to their ends
 * before it sorts.
 */
export function walkEach(values: Readonly<Record<string, string>>, walk: string, found: string): string {
  return `unnest(${Object.values(values).join(", ")}) as w (${Object.keys(values).join(", ")})
    cross join lateral (${walk}) ${found}`;
}

/** The values of a statement, numbered as they are added. */
export class Params {
  readonly values: unknown[] = [];

  /** The value's placeholder with its type, such as `$3::uuid`. */
  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${String(this.values.length)}::${type}`;
  }

  /**
   * A condition that is true for rows with one of these values. Use it on rows that another condition finds, and not to
   * walk an index that begins with the column: several values are several ranges of it, and Postgres would read all of
   * their rows before it sorts them.
   */
  isOneOf(column: string, values: readonly unknown[], type: string): string {
    return `${column} = any (${this.add(values, `${type}[]`)})`;
  }
}
