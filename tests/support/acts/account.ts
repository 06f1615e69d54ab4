import {
  anonymous,
  bindings,
  type Client,
  client,
  jsonInit,
  newUser,
  ORIGIN,
  PASSWORD,
  send,
  unique,
} from "../../factories.ts";
import { totpCode } from "../accounts/totp.ts";
import { type Authenticator, newAuthenticator } from "../authenticator.ts";
import { type Acts, ask, DELETE, POST, type Scene, told } from "./scene.ts";

const NEW_PASSWORD = "Willow-Kettle-38-Gravel";

const newcomer = async ({ world }: Scene) => client(await newUser(world.ours.id));

/** Returns the client with the new session cookie of a response. */
function withNewSession(who: Client, { headers }: { headers: Headers }): Client {
  const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
  const own = { ...who.headers, cookie };
  return { ...who, headers: own, fetch: (path, init) => send(path, { ...init, headers: own }) };
}

/** Returns a signed-in user with an authenticator app, and the user's recovery codes. */
async function withApp(scene: Scene) {
  const who = await newcomer(scene);
  const { secret } = await told<{ secret: string }>(who, "/second-factor/totp");
  const confirmed = await ask(
    who,
    "/second-factor/totp/confirm",
    jsonInit({ code: totpCode(secret, Date.now()) }),
  );
  const { recovery_codes } = JSON.parse(confirmed.text) as { recovery_codes: string[] };
  return { who: withNewSession(who, confirmed), user: who.user, codes: recovery_codes };
}

const optionsOf = (who: Client, path: string) => told<{ challenge: string }>(who, path);

async function withPasskey(
  scene: Scene,
): Promise<{ who: Client; device: Authenticator; user: Client["user"] }> {
  const who = await newcomer(scene);
  const device = await newAuthenticator(ORIGIN);
  const response = await device.create(await optionsOf(who, "/second-factor/passkey-options"));
  const kept = await ask(who, "/second-factor/passkeys", jsonInit({ name: "Laptop", response }));
  if (kept.status !== 200) throw new Error(kept.text);
  return { who: withNewSession(who, kept), device, user: who.user };
}

async function again(user: Client["user"]): Promise<Client> {
  if (!user) throw new Error("no user to sign in");
  return client(user);
}

const credentials = async ({ world }: Scene) => {
  const { username } = await newUser(world.ours.id);
  return jsonInit({ username, password: PASSWORD });
};

export const ACCOUNT_ACTS: Acts = {
  "POST /login": async (scene) => ({
    who: { ...anonymous, headers: {} },
    path: "/login",
    init: await credentials(scene),
    rows: ["sign-in"],
  }),
  "POST /dev-login": async (scene) => ({
    who: { ...anonymous, headers: {} },
    path: "/dev-login",
    init: await credentials(scene),
    rows: ["sign-in"],
    origin: "http://localhost",
  }),
  "POST /logout": async (scene) => ({
    who: await newcomer(scene),
    path: "/logout",
    init: POST,
    rows: ["sign-out"],
  }),
  "POST /reset-password": async (scene) => ({
    who: await newcomer(scene),
    path: "/reset-password",
    init: jsonInit({ current_password: PASSWORD, new_password: NEW_PASSWORD }),
    rows: ["password.change"],
  }),
  "POST /user/reset-password": async (scene) => ({
    who: await newcomer(scene),
    path: "/user/reset-password",
    init: jsonInit({ new_password: NEW_PASSWORD }),
    rows: ["password.change"],
  }),
  "DELETE /user/sessions/:id": async (scene) => {
    const who = await newcomer(scene);
    await again(who.user);
    const { sessions } = await told<{ sessions: { id: string; current: boolean }[] }>(
      who,
      "/profile-data",
      {},
    );
    return {
      who,
      path: `/user/sessions/${sessions.find(({ current }) => !current)?.id}`,
      init: DELETE,
      rows: ["session.end"],
      own: true,
    };
  },
  "POST /user/sign-out-everywhere": async (scene) => ({
    who: await newcomer(scene),
    path: "/user/sign-out-everywhere",
    init: POST,
    rows: ["session.end"],
  }),
  "POST /step-up": async (scene) => ({
    who: await newcomer(scene),
    path: "/step-up",
    init: jsonInit({ password: PASSWORD }),
    rows: ["step-up"],
  }),
  "POST /step-up/passkey": async (scene) => {
    const { who, device } = await withPasskey(scene);
    const response = await device.get(await optionsOf(who, "/second-factor/challenge"));
    return { who, path: "/step-up/passkey", init: jsonInit({ response }), rows: ["step-up"], once: true };
  },
  "POST /second-factor/verify": async (scene) => {
    const { user, codes } = await withApp(scene);
    return {
      who: await again(user),
      path: "/second-factor/verify",
      init: jsonInit({ code: codes[0] }),
      rows: ["sign-in.second-factor"],
      once: true,
    };
  },
  "POST /second-factor/verify-passkey": async (scene) => {
    const { user, device } = await withPasskey(scene);
    const who = await again(user);
    const response = await device.get(await optionsOf(who, "/second-factor/challenge"));
    return {
      who,
      path: "/second-factor/verify-passkey",
      init: jsonInit({ response }),
      rows: ["sign-in.second-factor"],
      once: true,
    };
  },
  "POST /second-factor/totp/confirm": async (scene) => {
    const who = await newcomer(scene);
    const { secret } = await told<{ secret: string }>(who, "/second-factor/totp");
    return {
      who,
      path: "/second-factor/totp/confirm",
      init: jsonInit({ code: totpCode(secret, Date.now()) }),
      rows: ["second-factor.add"],
      once: true,
    };
  },
  "DELETE /second-factor/totp": async (scene) => ({
    who: (await withApp(scene)).who,
    path: "/second-factor/totp",
    init: DELETE,
    rows: ["second-factor.remove"],
  }),
  "POST /second-factor/passkeys": async (scene) => {
    const who = await newcomer(scene);
    const device = await newAuthenticator(ORIGIN);
    const response = await device.create(await optionsOf(who, "/second-factor/passkey-options"));
    return {
      who,
      path: "/second-factor/passkeys",
      init: jsonInit({ name: "Laptop", response }),
      rows: ["second-factor.add"],
      once: true,
    };
  },
  "DELETE /second-factor/passkeys/:id": async (scene) => {
    const { who, device } = await withPasskey(scene);
    return {
      who,
      path: `/second-factor/passkeys/${device.id}`,
      init: DELETE,
      rows: ["second-factor.remove"],
      own: true,
    };
  },
  "POST /second-factor/recovery-codes": async (scene) => ({
    who: (await withApp(scene)).who,
    path: "/second-factor/recovery-codes",
    init: POST,
    rows: ["second-factor.codes"],
  }),
  "POST /push/devices": async (scene) => ({
    who: scene.viewer,
    path: "/push/devices",
    init: jsonInit({ channel: "apns", token: newToken(), name: "Phone" }),
    rows: ["push-device.add"],
  }),
  "DELETE /push/devices/:id": async (scene) => {
    await bindings.DB.prepare("DELETE FROM push_devices").run();
    const device = { channel: "apns", token: newToken(), name: unique("Phone") };
    const { id } = await told(scene.viewer, "/push/devices", jsonInit(device));
    return {
      who: scene.viewer,
      path: `/push/devices/${id}`,
      init: DELETE,
      rows: ["push-device.remove"],
      own: true,
    };
  },
  "PUT /push/settings": async (scene) => ({
    who: scene.viewer,
    path: "/push/settings",
    init: jsonInit(
      { enabled: true, quiet_from: "22:00", quiet_until: "06:00", time_zone: "America/New_York" },
      { method: "PUT" },
    ),
    rows: ["push-alerts"],
  }),
  "POST /toggle-push-alerts": async (scene) => ({
    who: scene.viewer,
    path: "/toggle-push-alerts",
    init: POST,
    rows: ["push-alerts"],
  }),
};

const newToken = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
