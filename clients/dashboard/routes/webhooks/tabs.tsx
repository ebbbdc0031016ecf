import { mode } from "../../book.ts";
import { TabLinks } from "../../parts/tab-links.tsx";
import { texts } from "../../texts/texts.ts";

const { title, tabs: words } = texts.webhooks;

/** The four lists of the screen. Test sinks exist in Test only. */
export function Tabs() {
  return (
    <TabLinks
      label={title}
      tabs={[
        ["/webhooks", words.deliveries],
        ["/webhooks/endpoints", words.endpoints],
        ["/webhooks/replays", words.replays],
        ...(mode === "Test" ? [["/webhooks/sinks", words.sinks] as const] : []),
      ]}
    />
  );
}
