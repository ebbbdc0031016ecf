import { describe, expect, it } from "vitest";
import { csvOf } from "./csv.ts";

describe("CSV", () => {
  it("has a line of fields for each row, each with CRLF, and nothing for null", () => {
    expect(
      csvOf([
        ["name", "amountCents"],
        ["Rent", -5],
        [null, 0],
      ]),
    ).toBe("name,amountCents\r\nRent,-5\r\n,0\r\n");
  });

  it("quotes text with a comma, a quote or a line break", () => {
    expect(csvOf([["a,b", 'say "hi"', "two\r\nlines", "plain"]])).toBe(
      '"a,b","say ""hi""","two\r\nlines",plain\r\n',
    );
  });

  it.each([
    ["=1+1", `"'=1+1"`],
    ["+1", `"'+1"`],
    ["-1", `"'-1"`],
    ["@SUM(A1)", `"'@SUM(A1)"`],
    ["\t=1", `"'\t=1"`],
    [" =1", `"' =1"`],
    ['=HYPERLINK("http://evil.example","x")', `"'=HYPERLINK(""http://evil.example"",""x"")"`],
    ["\uff1d1+1", `"'\uff1d1+1"`],
    ["\uff0b1", `"'\uff0b1"`],
    ["\uff0d1", `"'\uff0d1"`],
    [" \uff20SUM(A1)", `"' \uff20SUM(A1)"`],
    ["1-1", "1-1"],
    ["", ""],
  ])("writes the text %j so that no spreadsheet computes it", (text, written) => {
    expect(csvOf([[text]])).toBe(`${written}\r\n`);
  });
});
