import {
  changePushSettings,
  forgetDevice,
  listOwnDevices,
  pushSettingsOf,
  registerDevice,
  vapidPublicKey,
} from "#app/domain/alerts/push-devices.ts";
import { PushDevice, PushDevices, PushKey, PushSettingsAnswer } from "#app/entities/alerts/answers.ts";
import { NewDevice, PushSettings } from "#app/entities/alerts/push.ts";
import { about, Message } from "#app/http/about.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";

/**
 * Registration of devices. A phone sends `{channel: "apns", token, name}` at every start, a browser `{channel:
 * "webpush", subscription, name}` with the result of PushSubscription.toJSON(). The same device keeps its id. POST
 * /toggle-push-alerts or PUT /push/settings turns pushes on and off.
 */
const { loader, action } = endpoints(
  "Push",
  endpoint(
    "GET /push/key",
    "hotlist-viewer",
    none,
    about("Returns the public key with which browsers subscribe.", PushKey),
    ({ app }) => vapidPublicKey(app),
  ),
  endpoint(
    "GET /push/devices",
    "hotlist-viewer",
    none,
    about("Returns the caller's devices.", PushDevices),
    ({ app, actor }) => listOwnDevices(app, actor),
  ),
  endpoint(
    "POST /push/devices",
    "hotlist-viewer",
    NewDevice,
    about("Registers a phone or a browser.", PushDevice, {
      details: "Phones send this at every start. The same device keeps its id.",
    }),
    ({ app, actor, body }) => registerDevice(app, actor, body),
  ),
  endpoint(
    "DELETE /push/devices/:id",
    "hotlist-viewer",
    none,
    about("Removes a device.", Message),
    ({ app, actor, params }) => forgetDevice(app, actor, params.id),
  ),
  endpoint(
    "GET /push/settings",
    "hotlist-viewer",
    none,
    about("Returns whether pushes are on, and quiet hours.", PushSettingsAnswer),
    ({ app, actor }) => pushSettingsOf(app, actor),
  ),
  endpoint(
    "PUT /push/settings",
    "hotlist-viewer",
    PushSettings,
    about("Changes whether pushes are on, and quiet hours.", PushSettingsAnswer),
    ({ app, actor, body }) => changePushSettings(app, actor, body),
  ),
);

export { action, loader };
