package io.holdfast.repository;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
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
  private static final JavaClasses FIXTURE =
      new ClassFileImporter().importPackages("io.holdfast.repository.fixture");

  private static final DescribedPredicate<JavaClass> ERRORS =
      DescribedPredicate.describe(
          "the root of errors",
          type ->
              type.getSimpleName().equals("ErrorCode")
                  || type.getSimpleName().equals("HoldfastException"));

  private static final Map<String, ArchRule> RULES =
      Map.of(
          "the kernel knows no capability, store or door",
          noClasses()
              .that()
              .resideInAPackage("io.holdfast..lease")
              .should()
              .dependOnClassesThat(
                  resideInAnyPackage("io.holdfast..lock..", "io.holdfast..memory..", "io.holdfast")
                      .and(not(ERRORS))),
          "a capability knows no store and no door",
          noClasses()
              .that()
              .resideInAPackage("io.holdfast..lock")
              .and()
              .resideOutsideOfPackage("io.holdfast.testkit..")
              .should()
              .dependOnClassesThat(
                  resideInAnyPackage(
                          "io.holdfast..memory..", "io.holdfast..postgres..", "io.holdfast")
                      .and(not(ERRORS))),
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
                  "io.holdfast", "io.holdfast..lease", "io.holdfast..lock", "io.holdfast..memory")
              .and()
              .resideOutsideOfPackage("io.holdfast.testkit..")
              .should()
              .dependOnClassesThat(resideInAnyPackage("java.sql..", "org.postgresql..")),
          "JSON stays out of the library",
          noClasses()
              .that()
              .resideInAnyPackage(
                  "io.holdfast",
                  "io.holdfast..lease",
                  "io.holdfast..lock",
                  "io.holdfast..memory",
                  "io.holdfast..postgres")
              .should()
              .dependOnClassesThat(resideInAPackage("com.fasterxml.jackson..")),
          "threads are made by the kernel",
          noClasses()
              .that()
              .resideInAnyPackage(
                  "io.holdfast..lock", "io.holdfast..memory", "io.holdfast..postgres")
              .and()
              .resideOutsideOfPackage("io.holdfast.testkit..")
              .should()
              .callConstructor(Thread.class, Runnable.class),
          "time is given, not taken",
          noClasses()
              .that()
              .resideInAnyPackage(
                  "io.holdfast..lease", "io.holdfast..lock", "io.holdfast..postgres")
              .should()
              .callMethod(java.time.Instant.class, "now")
              .orShould()
              .callMethod(Thread.class, "sleep", long.class));

  @TestFactory
  Stream<DynamicTest> the_product_keeps_each_rule() {
    return RULES.entrySet().stream()
        .map(rule -> DynamicTest.dynamicTest(rule.getKey(), () -> rule.getValue().check(PRODUCT)));
  }

  @TestFactory
  Stream<DynamicTest> each_rule_can_fail() {
    return RULES.entrySet().stream()
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
