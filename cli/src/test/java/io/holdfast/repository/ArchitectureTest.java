package io.holdfast.repository;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.CompositeArchRule;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The arrows between packages, {@code lease <- features <- stores <- door}, and who may know what.
 * Each rule is also held against a fixture that breaks it, so that none can be a rule in name only.
 */
class ArchitectureTest {
  private static final JavaClasses PRODUCT =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.holdfast");

  /** Without what stands between the library and the network or a terminal. */
  private static final JavaClasses LIBRARY =
      PRODUCT.that(
          not(
              resideInAnyPackage(
                  "io.holdfast.client..", "io.holdfast.server..", "io.holdfast.cli..")));

  private static final JavaClasses FIXTURE =
      new ClassFileImporter().importPackages("io.holdfast.repository.fixture");

  private static final DescribedPredicate<JavaClass> ERRORS =
      DescribedPredicate.describe(
          "the root of errors",
          type ->
              type.getSimpleName().equals("ErrorCode")
                  || type.getSimpleName().equals("HoldfastException"));

  /** All that core may know of JDBC: the name of a connection that it passes on. */
  private static final DescribedPredicate<JavaClass> OPAQUE =
      DescribedPredicate.describe(
          "a connection to pass on", type -> type.getName().equals("java.sql.Connection"));

  private static final String[] CAPABILITIES = {
    "io.holdfast..lock", "io.holdfast..queue", "io.holdfast..stream", "io.holdfast..job"
  };

  private static final String TESTKIT = "io.holdfast.testkit..";

  private static String[] and(String[] packages, String... more) {
    return Stream.concat(Stream.of(packages), Stream.of(more)).toArray(String[]::new);
  }

  private static ArchRule apart(String one) {
    String[] others =
        Stream.of(CAPABILITIES).filter(other -> !other.equals(one)).toArray(String[]::new);
    return noClasses()
        .that()
        .resideInAPackage(one)
        .and()
        .resideOutsideOfPackage(TESTKIT)
        .should()
        .dependOnClassesThat(resideInAnyPackage(others))
        .allowEmptyShould(true);
  }

  private static final Map<String, ArchRule> RULES =
      Map.of(
          "the kernel knows no capability, store or door",
          noClasses()
              .that()
              .resideInAPackage("io.holdfast..lease")
              .should()
              .dependOnClassesThat(
                  resideInAnyPackage(and(CAPABILITIES, "io.holdfast..memory..", "io.holdfast"))
                      .and(not(ERRORS))),
          "a capability knows no store and no door",
          noClasses()
              .that()
              .resideInAnyPackage(CAPABILITIES)
              .and()
              .resideOutsideOfPackage(TESTKIT)
              .should()
              .dependOnClassesThat(
                  resideInAnyPackage(
                          "io.holdfast..memory..", "io.holdfast..postgres..", "io.holdfast")
                      .and(not(ERRORS))),
          "no capability knows another",
          CompositeArchRule.of(Stream.of(CAPABILITIES).map(ArchitectureTest::apart).toList()),
          "a store knows no other store",
          noClasses()
              .that()
              .resideInAPackage("io.holdfast..memory")
              .should()
              .dependOnClassesThat(resideInAPackage("io.holdfast..postgres..")),
          "JDBC stays in the PostgreSQL store",
          noClasses()
              .that()
              .resideInAnyPackage(
                  and(CAPABILITIES, "io.holdfast", "io.holdfast..lease", "io.holdfast..memory"))
              .and()
              .resideOutsideOfPackage(TESTKIT)
              .should()
              .dependOnClassesThat(
                  resideInAnyPackage("java.sql..", "org.postgresql..").and(not(OPAQUE)))
              .orShould()
              .callMethodWhere(target(owner(OPAQUE))),
          "JSON stays out of the library",
          noClasses()
              .that()
              .resideInAnyPackage(
                  and(
                      CAPABILITIES,
                      "io.holdfast",
                      "io.holdfast..lease",
                      "io.holdfast..memory",
                      "io.holdfast..postgres"))
              .should()
              .dependOnClassesThat(resideInAPackage("com.fasterxml.jackson..")),
          "threads are made by the kernel",
          noClasses()
              .that()
              .resideInAnyPackage(and(CAPABILITIES, "io.holdfast..memory", "io.holdfast..postgres"))
              .and()
              .resideOutsideOfPackage(TESTKIT)
              .should()
              .callConstructor(Thread.class, Runnable.class),
          "time is given, not taken",
          noClasses()
              .that()
              .resideInAnyPackage(and(CAPABILITIES, "io.holdfast..lease", "io.holdfast..postgres"))
              .should()
              .callMethod(java.time.Instant.class, "now")
              .orShould()
              .callMethod(Thread.class, "sleep", long.class));

  private static final Map<String, ArchRule> OUTER_RULES =
      Map.of(
          "the server knows no store: it translates",
          noClasses()
              .that()
              .resideInAPackage("io.holdfast..server..")
              .should()
              .dependOnClassesThat(
                  resideInAnyPackage("io.holdfast..postgres..", "io.holdfast..memory..")),
          "the client knows neither server nor store",
          noClasses()
              .that()
              .resideInAPackage("io.holdfast..client..")
              .should()
              .dependOnClassesThat(
                  resideInAnyPackage(
                      "io.holdfast..server..", "io.holdfast..postgres..", "io.holdfast..memory..")),
          "Vert.x stays in the server",
          noClasses()
              .that()
              .resideInAPackage("io.holdfast..")
              .and()
              .resideOutsideOfPackage("io.holdfast.server..")
              .should()
              .dependOnClassesThat(resideInAPackage("io.vertx..")));

  @TestFactory
  Stream<DynamicTest> the_product_keeps_each_rule() {
    return RULES.entrySet().stream()
        .map(rule -> DynamicTest.dynamicTest(rule.getKey(), () -> rule.getValue().check(LIBRARY)));
  }

  @TestFactory
  Stream<DynamicTest> what_stands_on_the_library_keeps_each_rule() {
    return OUTER_RULES.entrySet().stream()
        .map(rule -> DynamicTest.dynamicTest(rule.getKey(), () -> rule.getValue().check(PRODUCT)));
  }

  @TestFactory
  Stream<DynamicTest> each_rule_can_fail() {
    return Stream.concat(RULES.entrySet().stream(), OUTER_RULES.entrySet().stream())
        .map(
            rule ->
                DynamicTest.dynamicTest(
                    rule.getKey(),
                    () ->
                        assertThat(rule.getValue().evaluate(FIXTURE).hasViolation())
                            .as("the fixture breaks this rule")
                            .isTrue()));
  }
}
