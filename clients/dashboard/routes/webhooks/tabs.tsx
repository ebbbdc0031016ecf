import { mode } from "../../book.ts";
import { TabLinks } from "../../parts/page/tab-links.tsx";
import { webhookTexts } from "../../texts/webhooks.ts";

const { title, tabs: words } = webhookTexts;

/** The lists of the screen. Test sinks exist in Test only. */
export function Tabs() {
  return (
    <TabLinks
      label={title}
      tabs={[
        ["/webhooks", words.deliveries],
        ["/webhooks/events", words.events],
        ["/webhooks/endpoints", words.endpoints],
        ["/webhooks/replays", words.replays],
        ...(mode === "Test" ? [["/webhooks/sinks", words.sinks] as const] : []),
      ]}
    />
  );
}
