import { openImage } from "#app/domain/search/images.ts";
import { type Call, endpoint, endpoints, none } from "#app/http/endpoint.ts";
import { fileAnswer } from "#app/http/file-answer.ts";

/** Pages of origins that the operator allows may use images, and nothing else of Odin. */
const IMAGE = { crossOrigin: true };

type ImageCall = Pick<
  Call<"GET /proxy-rekor-image", "signed-in", typeof none>,
  "app" | "actor" | "query" | "request"
>;
type Wanted = Omit<Parameters<typeof openImage>[2], "signal">;

/** Returns a handler that proxies an image; `wanted` reads from the query which one. */
const answerImage =
  (wanted: (query: URLSearchParams) => Wanted) =>
  async ({ app, actor, query, request }: ImageCall) =>
    fileAnswer(await openImage(app, actor, { ...wanted(query), signal: request.signal }));

const ofRekor = answerImage((query) => ({
  program: "Rekor",
  reference: query.get("image_uuid"),
  asBase64: query.get("as_base64") === "true",
}));
// A documented client has one `image_uuid` per read: this URL returns the vehicle, the one above the plate.
const ofRekorVehicle = answerImage((query) => ({
  program: "Rekor",
  reference: query.get("image_uuid"),
  kind: "vehicle",
}));
const ofAxon = answerImage((query) => ({ program: "Axon", reference: query.get("url") }));
const ofAxis = answerImage((query) => ({ program: "Axis", reference: query.get("path") }));

const { loader, action } = endpoints(
  endpoint("GET /rekor/cropped-plate", "signed-in", none, ofRekor, IMAGE),
  endpoint("GET /proxy-rekor-image", "signed-in", none, ofRekorVehicle, IMAGE),
  endpoint("GET /proxy-axon-image", "signed-in", none, ofAxon, IMAGE),
  endpoint("GET /proxy-axon-plate-image", "signed-in", none, ofAxon, IMAGE),
  endpoint("GET /proxy-axis-image", "signed-in", none, ofAxis, IMAGE),
);

export { action, loader };
