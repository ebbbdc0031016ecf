import { TabLinks } from "../../parts/page/tab-links.tsx";
import { simulatorTexts } from "../../texts/simulator.ts";

const { title, tabs: words } = simulatorTexts;

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
