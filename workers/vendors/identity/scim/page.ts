import { escaped, page } from "../pages.ts";
import { DEMO_GROUPS, type Person } from "../people.ts";
import { type Connection, type Exchange, PATCH_FORMS, type PatchForm } from "./client.ts";
import { DOMAIN } from "./push.ts";

const FORM_NAMES: Record<PatchForm, string> = {
  path: "With a path, as Microsoft Entra ID sends it",
  object: "With an object of attributes, as Okta sends it",
};

type Shown = {
  connection: Connection | undefined;
  proposed: string;
  people: readonly Person[];
  exchanges: readonly Exchange[];
  notice: string;
};

/** Returns the page on which the provider's administrator connects Odin and manages people. */
export function provisioningPage({ connection, proposed, people, exchanges, notice }: Shown): string {
  return page(
    "Provisioning of Hartford SSO",
    `${notice ? `<p role="status">${escaped(notice)}</p>` : ""}
<p>This demo provider pushes the people of ${DOMAIN} who are in a group, and the groups, to Odin by SCIM 2.0.</p>
${connectionForm(connection, proposed)}
<h2>People</h2>
${people.map(personForm).join("")}
${newPersonForm()}
<h2>Requests to Odin</h2>
${exchangeTable(exchanges)}`,
    { wide: true },
  );
}

function connectionForm(connection: Connection | undefined, proposed: string): string {
  const options = PATCH_FORMS.map(
    (form) =>
      `<option value="${form}"${form === connection?.form ? " selected" : ""}>${FORM_NAMES[form]}</option>`,
  );
  const kept = connection ? `ends in ${connection.token.slice(-4)}; leave empty to keep it` : "";
  return `<h2>Connection to Odin</h2>
<p>${connection ? "Odin is connected until this server stops." : "Odin is not connected. An administrator of Hartford creates the token in Odin at Single Sign-On."}</p>
<form method="post"><input type="hidden" name="intent" value="connect">
<label for="base">Base URL</label><input id="base" name="base" value="${escaped(connection?.base ?? proposed)}" required>
<label for="token">SCIM token</label><input id="token" name="token" type="password" autocomplete="off" placeholder="${kept}"${connection ? "" : " required"}>
<label for="form">Form of PATCH</label><select id="form" name="form">${options.join("")}</select>
<button type="submit">${connection ? "Save Connection" : "Connect"}</button></form>
${connection ? `${button("push", "Push Everything")}${button("disconnect", "Disconnect")}` : ""}`;
}

const button = (intent: string, label: string) =>
  `<form method="post"><input type="hidden" name="intent" value="${intent}"><button type="submit">${label}</button></form>`;

function groupChoice(chosen: readonly string[]): string {
  return Object.values(DEMO_GROUPS)
    .map(
      (name) =>
        `<label class="choice"><input type="checkbox" name="group" value="${name}"${chosen.includes(name) ? " checked" : ""}> ${name}</label>`,
    )
    .join("");
}

function personForm({ sub, name, email, groups, inactive }: Person): string {
  return `<form method="post"><fieldset><legend>${escaped(name)}</legend>
<input type="hidden" name="intent" value="change"><input type="hidden" name="sub" value="${escaped(sub)}">
<p>${escaped(email)}</p>${groupChoice(groups)}
<label class="choice"><input type="checkbox" name="active"${inactive ? "" : " checked"}> Account is active</label>
<button type="submit">Save ${escaped(name)}</button></fieldset></form>`;
}

function newPersonForm(): string {
  return `<form method="post"><fieldset><legend>New person</legend><input type="hidden" name="intent" value="add">
<label for="name">Name</label><input id="name" name="name" required maxlength="100">
<label for="email">Email, before @${DOMAIN}</label><input id="email" name="email" required maxlength="60">
${groupChoice([])}
<button type="submit">Add Person</button></fieldset></form>`;
}

function exchangeTable(exchanges: readonly Exchange[]): string {
  if (exchanges.length === 0) return "<p>None yet.</p>";
  const rows = exchanges.map(
    ({ method, path, sent, status, detail }) =>
      `<tr><td>${method} ${escaped(decodeURIComponent(path))}${sent ? `<br><code>${escaped(sent)}</code>` : ""}</td><td>${status || ""} ${escaped(detail)}</td></tr>`,
  );
  return `<table><thead><tr><th>Request</th><th>Answer</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}
