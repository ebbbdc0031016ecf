export const partTexts = {
  copyCurl: "Copy as curl",
  copy: "Copy",
  copyThis: (what: string) => `Copy the ${what}`,
  copied: "Copied",
  amountHint: "An amount such as 1,234.50",
  pages: "Pages",
  previous: "Previous",
  next: "Next",
  members: (count: number) => (count === 1 ? "1 member" : `${String(count)} members`),
} as const;
