export const partTexts = {
  copyCurl: "Copy as curl",
  copy: "Copy",
  copyThis: (what: string) => `Copy the ${what}`,
  copied: "Copied",
  pages: "Pages",
  previous: "Previous",
  next: "Next",
} as const;
