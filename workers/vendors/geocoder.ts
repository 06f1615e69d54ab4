import { type Env, worldOf } from "./setup.ts";
import { hashOf } from "./world/random.ts";
import { kilometresBetween } from "./world/roads.ts";

/** Nominatim's /search in jsonv2 format: the camera whose road and town the query names. */
function find(text: string, env: Env): Response {
  const words = text.toLowerCase();
  const cameras = worldOf(env).cameras;
  const found =
    cameras.find(
      ({ road, town }) => words.includes(road.toLowerCase()) && words.includes(town.toLowerCase()),
    ) ?? cameras.find(({ town }) => words.includes(town.toLowerCase()));
  if (!found) return Response.json([]);
  const { latitude, longitude, road, town } = found;
  const display_name = `${road}, ${town}, Connecticut, United States`;
  return Response.json([{ lat: String(latitude), lon: String(longitude), display_name }]);
}

/** Nominatim's /reverse in jsonv2 format: an invented house number on the road of the nearest camera. */
export function handleGeocoder(request: Request, env: Env): Response {
  const query = new URL(request.url).searchParams;
  if (new URL(request.url).pathname.endsWith("/search")) return find(query.get("q") ?? "", env);
  const latitude = Number(query.get("lat") ?? Number.NaN);
  const longitude = Number(query.get("lon") ?? Number.NaN);
  if (!(Math.abs(latitude) <= 90) || !(Math.abs(longitude) <= 180)) {
    return Response.json(
      { error: { code: 400, message: "Floating-point number expected for parameter 'lat'" } },
      { status: 400 },
    );
  }
  const here = { latitude, longitude };
  const [nearest] = [...worldOf(env).cameras].sort(
    (a, b) => kilometresBetween(here, a) - kilometresBetween(here, b),
  );
  if (!nearest || kilometresBetween(here, nearest) > 40) return Response.json({ error: "Unable to geocode" });
  const number = hashOf(Math.round(latitude * 1e4), Math.round(Math.abs(longitude) * 1e4));
  const house = nearest.highway ? undefined : String(1 + (number % 980));
  const postcode = `06${String(100 + (hashOf(nearest.town.length, nearest.town.charCodeAt(0)) % 900))}`;
  const address = {
    ...(house ? { house_number: house } : {}),
    road: nearest.road,
    city: nearest.town,
    state: "Connecticut",
    "ISO3166-2-lvl4": "US-CT",
    postcode,
    country: "United States",
    country_code: "us",
  };
  return Response.json({
    place_id: 200_000_000 + nearest.index,
    licence: "Simulated data, not OpenStreetMap",
    osm_type: "way",
    osm_id: 16_000_000 + nearest.index,
    lat: String(latitude),
    lon: String(longitude),
    category: nearest.highway ? "highway" : "building",
    type: nearest.highway ? "motorway" : "yes",
    place_rank: nearest.highway ? 26 : 30,
    importance: 0.00007,
    addresstype: nearest.highway ? "road" : "place",
    name: nearest.highway ? nearest.road : "",
    display_name: [house, nearest.road, nearest.town, "Connecticut", postcode, "United States"]
      .filter(Boolean)
      .join(", "),
    address,
    boundingbox: [latitude - 0.0005, latitude + 0.0005, longitude - 0.0005, longitude + 0.0005].map((n) =>
      n.toFixed(7),
    ),
  });
}
