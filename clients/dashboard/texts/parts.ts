export const partTexts = {
  copyCurl: "Copy as curl",
  copy: "Copy",
  copyThis: (what: string) => `Copy the ${what}`,
  copied: "Copied",
  amountHint: "An amount such as 1,234.50",
  pages: "Pages",
  previous: "Previous",
  next: "Next",
  changed: "It has changed since you opened this:",
  counterparty: {
    find: "Find a counterparty",
    hint: "The menu has the newest hundred. Find others by the start of their name, or by their external id.",
    looking: "Looking…",
    found: (count: number) =>
      count === 0 ? "None that can be chosen here is found." : `Found: ${String(count)}, first in the menu.`,
    unavailable: "Counterparties could not be searched. Searching again…",
  },
  members: (count: number) => (count === 1 ? "1 member" : `${String(count)} members`),
} as const;
