import { TabLinks } from "../../parts/tab-links.tsx";
import { texts } from "../../texts/texts.ts";

const { title, tabs: words } = texts.simulator;

export function Tabs() {
  return (
    <TabLinks
      label={title}
      tabs={[
        ["/simulator", words.rails],
        ["/simulator/rules", words.rules],
        ["/simulator/statement-errors", words.statementErrors],
        ["/simulator/log", words.log],
        ["/webhooks/sinks", words.sinks],
      ]}
    />
  );
}
