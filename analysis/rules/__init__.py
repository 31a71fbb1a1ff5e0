"""One bottleneck class a file. Each threshold names its source:

[MSP] Ascend/msprof prof_condition_config.py, ai_core_config.py      [ADV] Ascend/msprof-analyze advisor rules
[MSI] MindStudio Insight's roofline analysis                         [MADV] MindStudio Advisor's roofline classes
[REC] MindSDK Rec tuning pages                                       [AGT] mindstudio-agent's operator skills
[CB] cannbot's ops-profiling reference                               [ASI] asight's checkers
[DEV] rows of asc-devkit's best-practice examples, with what each change bought
[TRN] a public report on transposes on 910B                          [OPT] rows of ascendc-optim-agent's rounds
[NCU] the 60 % rule of Nsight Compute, [TT] 65 % of tt-perf-report   [TOP] pmu-tools' tie threshold
"own choice": no source; a number that separated the public rows at hand.
"""
