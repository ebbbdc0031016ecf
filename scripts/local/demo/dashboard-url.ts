/** The dashboard of a local run. Passkeys need a name: browsers refuse them on 127.0.0.1. */
export function dashboardUrl(baseUrl: string): string {
  return `http://localhost:${new URL(baseUrl).port}`;
}
