// R2 keys, all in one place. A result set is two objects under one prefix, so that a purge takes both.

/** The columns of a result set, as the browser reads them. */
export function columnsKey(resultId: string): string {
  return `results/${resultId}/columns`;
}

/** Where the images of a result set are with their vendors; never sent to a browser. */
export function locatorsKey(resultId: string): string {
  return `results/${resultId}/locators`;
}
