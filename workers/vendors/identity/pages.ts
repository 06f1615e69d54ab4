import { IDENTITY_PASSWORD, type Person } from "./people.ts";

/** Returns a page of the demo's identity provider. */
export function page(title: string, body: string, { wide = false } = {}): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width"><style>
body{font:16px system-ui,sans-serif;max-width:${wide ? "52rem" : "26rem"};margin:${wide ? "2rem" : "10vh"} auto;padding:0 1rem;color:#1c2733;background:#f3f5f8}
main{background:#fff;border:1px solid #d4dae2;border-radius:8px;padding:1.5rem}
h1{font-size:1.25rem;margin-top:0}label{display:block;margin:.75rem 0 .25rem}
select,input,button{font:inherit;width:100%;padding:.5rem;box-sizing:border-box}
button{margin-top:1rem;background:#1d4f91;color:#fff;border:0;border-radius:4px}
h2{font-size:1.1rem;margin:2rem 0 .5rem}fieldset{margin:0 0 1rem;border:1px solid #d4dae2;border-radius:4px}
.choice{display:inline-flex;gap:.4rem;align-items:center;margin:.25rem 1rem .25rem 0}.choice input{width:auto}
table{width:100%;border-collapse:collapse}th,td{text-align:left;vertical-align:top;padding:.4rem .5rem;border-top:1px solid #d4dae2}
td,code{font-size:.85rem;overflow-wrap:anywhere}
</style></head><body><main><h1>${title}</h1>${body}</main></body></html>`;
}

/** Returns text for HTML. */
export const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign] ?? "");

/** Returns the sign-in page, which lists everyone in the demo's directory and their common password. */
export function loginPage(input: { uid: string; people: Iterable<Person>; failed?: boolean }): string {
  const active = [...input.people].filter(({ inactive }) => !inactive);
  const options = active.map(
    ({ sub, name, email }) => `<option value="${escaped(sub)}">${escaped(name)} (${escaped(email)})</option>`,
  );
  return page(
    "Demo identity provider",
    `${input.failed ? '<p role="alert">The password is wrong.</p>' : ""}
<form method="post" action="/interaction/${escaped(input.uid)}">
<label for="person">Person</label><select id="person" name="person">${options.join("")}</select>
<label for="password">Password</label><input id="password" name="password" type="password" required>
<button type="submit">Sign in</button></form>
<p>The password of every demo person is <code>${IDENTITY_PASSWORD}</code></p>
<p><a href="/provisioning">Provisioning of users (SCIM)</a></p>`,
  );
}
