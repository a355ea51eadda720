print("kubectl get endpoints a")
println("kubectl get endpoints a")
printf("kubectl get endpoints a")
eprintln("kubectl get endpoints a")
eprint("kubectl get endpoints a")
log("kubectl get endpoints a")
info("kubectl get endpoints a")
warn("kubectl get endpoints a")
warning("kubectl get endpoints a")
error("kubectl get endpoints a")
debug("kubectl get endpoints a")
trace("kubectl get endpoints a")
fatal("kubectl get endpoints a")
critical("kubectl get endpoints a")
exception("kubectl get endpoints a")
add_argument("kubectl get endpoints a")
argumentparser("kubectl get endpoints a")
writeline("kubectl get endpoints a")
echo("kubectl get endpoints a")
panic("kubectl get endpoints a")
fail("kubectl get endpoints a")
bail("kubectl get endpoints a")
anyhow("kubectl get endpoints a")
describe("kubectl get endpoints a")
it("kubectl get endpoints a")
test("kubectl get endpoints a")
option("kubectl get endpoints a")
loginformation("kubectl get endpoints a")
logwarning("kubectl get endpoints a")
logerror("kubectl get endpoints a")
logdebug("kubectl get endpoints a")
verbose("kubectl get endpoints a")
notice("kubectl get endpoints a")
assert("kubectl get endpoints a")
expect("kubectl get endpoints a")
secho("kubectl get endpoints a")
style("kubectl get endpoints a")
dedent_help("kubectl get endpoints a")
puts("kubectl get endpoints a")
abort("kubectl get endpoints a")
todo("kubectl get endpoints a")
unimplemented("kubectl get endpoints a")
tobe("kubectl get endpoints a")
toequal("kubectl get endpoints a")
tostrictequal("kubectl get endpoints a")
tocontain("kubectl get endpoints a")
tomatch("kubectl get endpoints a")
assertequal("kubectl get endpoints a")
assertequals("kubectl get endpoints a")
assertin("kubectl get endpoints a")
equals("kubectl get endpoints a")
equal("kubectl get endpoints a")
strictequal("kubectl get endpoints a")
deepequal("kubectl get endpoints a")
isequalto("kubectl get endpoints a")
contains("kubectl get endpoints a")
includes("kubectl get endpoints a")
startswith("kubectl get endpoints a")
endswith("kubectl get endpoints a")
indexof("kubectl get endpoints a")
assert_eq("kubectl get endpoints a")
assert_called_with("kubectl get endpoints a")
assert_called_once_with("kubectl get endpoints a")
matches("kubectl get endpoints a")
eq("kubectl get endpoints a")
log_x("kubectl get endpoints a")
print_x("kubectl get endpoints a")
xerror("kubectl get endpoints a")
xexception("kubectl get endpoints a")
help = "kubectl get endpoints a"
description = "kubectl get endpoints a"
desc = "kubectl get endpoints a"
message = "kubectl get endpoints a"
msg = "kubectl get endpoints a"
epilog = "kubectl get endpoints a"
usage = "kubectl get endpoints a"
summary = "kubectl get endpoints a"
title = "kubectl get endpoints a"
label = "kubectl get endpoints a"
doc = "kubectl get endpoints a"
comment = "kubectl get endpoints a"
note = "kubectl get endpoints a"
hint = "kubectl get endpoints a"
text = "kubectl get endpoints a"
example = "kubectl get endpoints a"
examples = "kubectl get endpoints a"
__doc__ = "kubectl get endpoints a"
longdescription = "kubectl get endpoints a"
tooltip = "kubectl get endpoints a"
placeholder = "kubectl get endpoints a"
