import { bindings, type Client } from "../../factories.ts";

/** Returns the HTML of a screen, without the text that scripts start with, which repeats the screen's data. */
export async function page(who: Client, path: string): Promise<string> {
  const answer = await who.fetch(path);
  const html = await answer.text();
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
  return html.slice(0, html.indexOf("window.__remixContext")).replaceAll("<!-- -->", "");
}

/** Runs SQL for each i from 1 to `count`; ?2 and later are `values`. */
export const fill = (sql: string, count: number, ...values: unknown[]) =>
  bindings.DB.prepare(
    `${sql.replace("SELECT", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) SELECT")} FROM n`,
  )
    .bind(count, ...values)
    .run();

/** Returns how many texts of a mark and a number a page has. */
export const marks = (html: string, mark: string) =>
  new Set(html.match(new RegExp(`${mark} \\d+`, "g"))).size;
