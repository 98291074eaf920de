"""The result of a check: what every front end prints and every renderer reads.

Plain dataclasses, so that reading a script costs no import of pydantic; `tools.schemas` hands them
to pydantic where a JSON Schema or a validation is wanted. The JSON form is `report-v1`, described
by `schemas/report-v1.schema.json` and versioned semantically: fields may be added, none renamed.
"""

from bot.report.base import ClaimVerdict, JsonValue, ReportPart, Scalar, Severity, Strength, Verdict
from bot.report.estimate import (
    Estimate,
    EstimateAllocated,
    EstimateCard,
    EstimateLengths,
    EstimateOption,
    EstimateShortage,
    EstimateStage,
)
from bot.report.evidence import Claim, Evidence, EvidenceSource, FactsRecord, Run
from bot.report.findings import Edit, Finding, Fix, InCell, Suppressed, Unchecked, WrittenIn
from bot.report.launches import CountedLaunch, LaunchReport, Name, Origin, PlanReport
from bot.report.result import (
    BrokenSetting,
    Change,
    ConfigurationChange,
    PageEdit,
    PageReport,
    Report,
    Row,
    ScriptReport,
    Tool,
    exit_status,
)
