import { expect, it } from "vitest";
import { bindings, bodyOf, client, newAgency, newUser, unique } from "../../factories.ts";

// A program that signs in for each of its calls leaves thousands of live sessions behind.

it("a profile shows fifty sessions, the current one first, and counts the others", async () => {
  const { id: agency } = await newAgency();
  const user = await newUser(agency);
  const mark = unique("session");
  // Used later than the current one.
  await bindings.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
     INSERT INTO sessions (id, token_hash, user_id, kind, created_at, last_seen_at, ip, user_agent, notice_version)
     SELECT ?1 || i, ?1 || i, ?2, 'bearer', ?3, ?3 + i, '10.1.1.' || (i % 100), '', '' FROM n`,
  )
    .bind(mark, user.id, Date.now() + 60_000)
    .run();
  const who = await client(user);
  const html = await (await who.fetch("/profile")).text();
  const shown = html.slice(0, html.indexOf("window.__remixContext")).replaceAll("<!-- -->", "");
  expect(shown.match(/10\.1\.1\.\d+/g)).toHaveLength(49);
  expect(shown.indexOf("This session")).toBeLessThan(shown.indexOf("10.1.1."));
  expect(shown).toContain("1,151 more sessions, used less recently. Sign out everywhere ends all of them.");
  expect(html.length).toBeLessThan(200_000);
  const { sessions } = await bodyOf<{ sessions: object[] }>(who.fetch("/profile-data"));
  expect(sessions).toHaveLength(1201);
});
