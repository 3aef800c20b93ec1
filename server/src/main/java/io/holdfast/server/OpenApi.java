package io.holdfast.server;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Api;
import io.holdfast.server.http.Json;
import io.holdfast.server.http.PlainDialect;
import io.holdfast.server.http.Role;
import io.holdfast.server.http.Route;
import io.holdfast.server.http.Routes;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The description of all routes, made from the routes themselves. */
final class OpenApi implements Api {
  private static final Pattern PARAMETER = Pattern.compile("\\{([^}]+)}");

  private final String version;

  OpenApi(String version) {
    this.version = version;
  }

  @Override
  public void mount(Routes routes) {
    routes.add(
        Route.get("/openapi.json", Role.READ, PlainDialect.INSTANCE, "This description")
            .tagged("description"),
        exchange ->
            CompletableFuture.completedFuture(
                Answer.json(200, Json.bytes(describe(routes.all())))));
  }

  ObjectNode describe(List<Route> routes) {
    ObjectNode document = Json.MAPPER.createObjectNode();
    document.put("openapi", "3.1.0");
    document
        .putObject("info")
        .put("title", "Holdfast")
        .put("version", version)
        .put("description", "Queues, ordered streams, background jobs and fenced locks.");
    ObjectNode paths = document.putObject("paths");
    Schemas schemas = new Schemas();
    routes.stream()
        .sorted(Comparator.comparing(Route::path).thenComparing(Route::method))
        .forEach(
            route ->
                operation(
                    paths
                        .withObjectProperty(route.path())
                        .putObject(route.method().toLowerCase(Locale.ROOT)),
                    route,
                    schemas));
    ObjectNode components = document.putObject("components");
    components.set("schemas", schemas.all());
    components
        .putObject("securitySchemes")
        .putObject("token")
        .put("type", "http")
        .put("scheme", "bearer");
    return document;
  }

  private static void operation(ObjectNode operation, Route route, Schemas schemas) {
    Route.Description about = route.about();
    operation.put("summary", about.summary());
    operation.putArray("tags").add(about.tag());
    Role role = route.role();
    if (role != null) {
      operation.putArray("security").addObject().putArray("token").add(role.text());
    }
    parameters(operation, route);
    Class<?> takes = about.takes();
    if (takes != null) {
      operation
          .putObject("requestBody")
          .putObject("content")
          .putObject("application/json")
          .set("schema", schemas.of(takes));
    }
    ObjectNode success =
        operation.putObject("responses").putObject("default").put("description", "The answer");
    Class<?> gives = about.gives();
    if (gives != null) {
      success.putObject("content").putObject("application/json").set("schema", schemas.of(gives));
    }
  }

  private static void parameters(ObjectNode operation, Route route) {
    Matcher matcher = PARAMETER.matcher(route.path());
    ArrayNode parameters = Json.MAPPER.createArrayNode();
    while (matcher.find()) {
      parameter(parameters, matcher.group(1), "path").put("required", true);
    }
    route.about().asks().forEach(name -> parameter(parameters, name, "query"));
    if (!parameters.isEmpty()) {
      operation.set("parameters", parameters);
    }
  }

  private static ObjectNode parameter(ArrayNode parameters, String name, String in) {
    ObjectNode parameter = parameters.addObject().put("name", name).put("in", in);
    parameter.putObject("schema").put("type", "string");
    return parameter;
  }
}
