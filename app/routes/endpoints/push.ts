import {
  changePushSettings,
  forgetDevice,
  listOwnDevices,
  pushSettingsOf,
  registerDevice,
  vapidPublicKey,
} from "#app/domain/alerts/push-devices.ts";
import { NewDevice, PushSettings } from "#app/entities/alerts/push.ts";
import { endpoint, endpoints, none } from "#app/http/endpoint.ts";

/**
 * Registration of devices. A phone sends `{channel: "apns", token, name}` at every start, a browser `{channel:
 * "webpush", subscription, name}` with the result of PushSubscription.toJSON(). The same device keeps its id. POST
 * /toggle-push-alerts or PUT /push/settings turns pushes on and off.
 */
const { loader, action } = endpoints(
  endpoint("GET /push/key", "hotlist-viewer", none, ({ app }) => vapidPublicKey(app)),
  endpoint("GET /push/devices", "hotlist-viewer", none, ({ app, actor }) => listOwnDevices(app, actor)),
  endpoint("POST /push/devices", "hotlist-viewer", NewDevice, ({ app, actor, body }) =>
    registerDevice(app, actor, body),
  ),
  endpoint("DELETE /push/devices/:id", "hotlist-viewer", none, ({ app, actor, params }) =>
    forgetDevice(app, actor, params.id),
  ),
  endpoint("GET /push/settings", "hotlist-viewer", none, ({ app, actor }) => pushSettingsOf(app, actor)),
  endpoint("PUT /push/settings", "hotlist-viewer", PushSettings, ({ app, actor, body }) =>
    changePushSettings(app, actor, body),
  ),
);

export { action, loader };
